"""Rows that were rejected or repaired, why, and the files that list them."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Reason = Literal[
    "bad_boolean",
    "bad_field",
    "bad_id",
    "bad_price",
    "bad_quantity",
    "bad_quotes",
    "bad_text",
    "duplicate",
    "invalid_utf8",
    "missing_fields",
    "nul_byte",
    "null_value",
    "orphan",
    "row_too_long",
    "surplus_fields",
]
"""Why a row is rejected."""
Rule = Literal[
    "space",
    "price_form",
    "leading_zeros",
    "dropped_value",
    "surplus_fields",
    "open_quote",
    "inner_quotes",
    "escaped_quotes",
]
"""A rule repairs a row. README.md says what each rule changes; a test compares both."""

RAW_BYTES = 1000
"""How much of a rejected row is kept: enough to find it, too little to copy a broken file into the database."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A row that was not loaded. `line` is where it begins in the file, from 1; `raw` its first bytes."""

    line: int
    reason: Reason
    detail: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Repair:
    """A change by a rule in a loaded row: the fields of `columns` as written, and as loaded."""

    line: int
    rule: Rule
    columns: str
    before: str
    after: str

    @classmethod
    def of(cls, line: int, rule: Rule, columns: list[str], before: list[bytes], after: list[bytes]) -> "Repair":
        """Joins fields by commas, as the row does, and keeps the beginning of long ones."""
        return cls(line, rule, ",".join(columns), _beginning(before), _beginning(after))


def _beginning(fields: list[bytes]) -> str:
    return b",".join(fields)[:RAW_BYTES].decode("utf-8", "ignore")


class RowError(Exception):
    """Raised while a row is cleaned."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def rejects_path(directory: Path, file: str) -> Path:
    """The file for the rejects of `file`: features.csv → features.rejects.csv."""
    return directory / f"{Path(file).stem}.rejects.csv"


def repairs_path(directory: Path, file: str) -> Path:
    """The file for the repairs of `file`: features.csv → features.repairs.csv."""
    return directory / f"{Path(file).stem}.repairs.csv"


def write_rejects(directory: Path, file: str, rejects: Iterable[Reject], first: bool = True) -> None:
    """Writes (`first`) or appends rejects; bytes that are not text are shown as \\x00."""
    rows = (
        [file, reject.line, reject.reason, reject.detail, reject.raw.decode("utf-8", "backslashreplace")]
        for reject in rejects
    )
    _write(rejects_path(directory, file), ["file", "line", "reason", "detail", "raw"], rows, first)


def write_repairs(directory: Path, file: str, repairs: Iterable[Repair], first: bool = True) -> None:
    """Writes (`first`) or appends repairs."""
    rows = ([file, repair.line, repair.rule, repair.columns, repair.before, repair.after] for repair in repairs)
    _write(repairs_path(directory, file), ["file", "line", "rule", "columns", "before", "after"], rows, first)


def _write(path: Path, header: list[str], rows: Iterable[list[object]], first: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w" if first else "a", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        if first:
            writer.writerow(header)
        writer.writerows([*row[:-1], str(row[-1]).replace("\0", "\\x00")] for row in rows)
