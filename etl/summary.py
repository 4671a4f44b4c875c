"""Reports each file of a load: the table at the end, and the files that list rejects and repairs."""

from collections.abc import Callable, Container
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
        rows.append([file, *counts, listed(rules.get(file, {})), listed(reasons.get(file, {}))])
        if done.read != done.loaded + done.repaired + done.rejected:
            raise LoadFailed(f"{file}: the counts do not add up; report this with the file")
    print_table("Rows", ["file", "read", "loaded", "repaired", "rejected", "why repaired", "why rejected"], rows)


def listed(counts: dict[str, int]) -> str:
    """Reasons or rules with their numbers, in one line."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def export_rejects(connection: psycopg.Connection, load_id: int, directory: Path) -> list[Path]:
    """Writes the rejects of each file that has any; returns the paths. Removes the files of an earlier load."""
    found = reasons_of(connection, load_id)
    files = {file: rejects_path(directory, file) for file in progress_of(connection, load_id)}
    return _export(files, found, lambda file: write_rejects(directory, file, rejects_of(connection, load_id, file)))


def export_repairs(connection: psycopg.Connection, load_id: int, directory: Path) -> list[Path]:
    """Does the same with repairs."""
    found = rules_of(connection, load_id)
    files = {file: repairs_path(directory, file) for file in progress_of(connection, load_id)}
    return _export(files, found, lambda file: write_repairs(directory, file, repairs_of(connection, load_id, file)))


def _export(files: dict[str, Path], found: Container[str], write: Callable[[str], None]) -> list[Path]:
    for path in files.values():
        path.unlink(missing_ok=True)
    written = [file for file in files if file in found]
    for file in written:
        write(file)
    return [files[file] for file in written]
