"""Rows that were not loaded, and the files that tell the operator about them."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

RAW_BYTES = 1000
"""Of a rejected row as much is kept: enough to find it, too little to copy a broken file into the database."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A row that was not loaded. `line` is where it begins in the file, from 1; `raw` its first bytes."""

    line: int
    reason: str
    detail: str
    raw: bytes


class RowError(Exception):
    """Raised while a row is cleaned."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def rejects_path(directory: Path, file: str) -> Path:
    """Where the rejects of `file` are written: features.csv → features.rejects.csv."""
    return directory / f"{Path(file).stem}.rejects.csv"


def write_rejects(directory: Path, file: str, rejects: Iterable[Reject], first: bool = True) -> None:
    """Writes (`first`) or appends rejects; bytes that are no text are shown as \\x00."""
    directory.mkdir(parents=True, exist_ok=True)
    mode = "w" if first else "a"
    with rejects_path(directory, file).open(mode, encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        if first:
            writer.writerow(["file", "line", "reason", "detail", "raw"])
        for reject in rejects:
            raw = reject.raw.decode("utf-8", "backslashreplace").replace("\0", "\\x00")
            writer.writerow([file, reject.line, reject.reason, reject.detail, raw])
