"""What a load made of each file: the table at its end, and the files that list rejects and repairs."""

from pathlib import Path

import psycopg

from etl.errors import LoadFailed
from etl.ledger import Progress, Reasons, progress_of, reasons_of, rejects_of, repairs_of, rules_of
from etl.progress import print_table
from etl.rejects import rejects_path, repairs_path, write_rejects, write_repairs


def print_summary(progress: Progress, reasons: Reasons, rules: Reasons) -> None:
    """Prints the accounting of each file: the rows rejected for each reason, and repaired by each rule.

    Raises:
        LoadFailed: when rows read are not rows loaded, repaired and rejected.
    """
    rows = []
    for file, done in progress.items():
        counts = [f"{done.read:,}", f"{done.loaded:,}", f"{done.repaired:,}", f"{done.rejected:,}"]
        rows.append([file, *counts, _list(rules.get(file, {})), _list(reasons.get(file, {}))])
        if done.read != done.loaded + done.repaired + done.rejected:
            raise LoadFailed(f"{file}: the counts do not add up; report this with the file")
    print_table("Rows", ["file", "read", "loaded", "repaired", "rejected", "why repaired", "why rejected"], rows)


def _list(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


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


def export_repairs(connection: psycopg.Connection, load_id: int, directory: Path) -> list[Path]:
    """The same of repairs."""
    rules = rules_of(connection, load_id)
    written = []
    for file in progress_of(connection, load_id):
        path = repairs_path(directory, file)
        path.unlink(missing_ok=True)
        if file in rules:
            write_repairs(directory, file, repairs_of(connection, load_id, file))
            written.append(path)
    return written
