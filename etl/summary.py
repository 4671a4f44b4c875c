"""What a load made of each file: the table at its end, and the rejects files."""

from pathlib import Path

import psycopg

from etl.errors import LoadFailed
from etl.ledger import Progress, Reasons, progress_of, reasons_of, rejects_of
from etl.progress import print_table
from etl.rejects import rejects_path, write_rejects


def print_summary(progress: Progress, reasons: Reasons) -> None:
    """Prints the accounting of each file.

    Raises:
        LoadFailed: when rows read are not rows loaded, repaired and rejected.
    """
    rows = []
    for file, done in progress.items():
        why = ", ".join(f"{reason} {count:,}" for reason, count in reasons.get(file, {}).items())
        rows.append([file, f"{done.read:,}", f"{done.loaded:,}", f"{done.repaired:,}", f"{done.rejected:,}", why])
        if done.read != done.loaded + done.repaired + done.rejected:
            raise LoadFailed(f"{file}: the counts do not add up; report this with the file")
    print_table("Rows", ["file", "read", "loaded", "repaired", "rejected", "why rejected"], rows)


def export_rejects(connection: psycopg.Connection, load_id: int, directory: Path) -> list[Path]:
    """Writes the rejects of each file that has any; returns where. Files of an earlier load are removed."""
    reasons = reasons_of(connection, load_id)
    written = []
    for file in progress_of(connection, load_id):
        path = rejects_path(directory, file)
        path.unlink(missing_ok=True)
        if file in reasons:
            write_rejects(directory, file, rejects_of(connection, load_id, file))
            written.append(path)
    return written
