"""What a file looks like before its first row: text or not, header or none, which column stands where."""

import os
from dataclasses import dataclass
from pathlib import Path

from etl.errors import Refused
from etl.rows.fields import split_fields
from etl.rows.row import is_whole_record
from etl.tables import Column, Table, normalised

MAX_ROW_BYTES = 1 << 20
"""No row is longer; also how far a quote that never closes is followed."""
BOM = b"\xef\xbb\xbf"
NEWLINE, RETURN, QUOTE, ZERO, NINE = b'\n\r"09'
_HEAD_BYTES = 1 << 16


@dataclass(frozen=True)
class Layout:
    """Where rows begin (byte, line from 1) and the columns in the order of this file.

    `widths`: how many fields a whole row may have, with those that are dropped: as many as our columns or as either of
    the file's first two lines, for rows may all end in a comma that the header lacks.
    """

    path: Path
    table: Table
    columns: tuple[Column, ...]
    widths: frozenset[int]
    first_byte: int
    first_line: int
    size: int
    modified_ns: int

    def is_of(self, stat: os.stat_result) -> bool:
        """Whether this file is still the one that was looked at."""
        return (stat.st_size, stat.st_mtime_ns) == (self.size, self.modified_ns)


def read_layout(path: Path, table: Table) -> Layout:
    """Looks at the beginning of a file.

    Raises:
        Refused: when the file is missing, empty, no text, or lacks a column.
    """
    head, stat = _read_head(path)
    start = len(BOM) if head.startswith(BOM) else 0
    lines = head[start:].split(b"\n")
    first, second, *_ = [place for place, line in enumerate(lines) if line.rstrip(b"\r")] + [0, 0]
    fields, count, _ = split_fields(lines[first].rstrip(b"\r"), len(table.columns))
    counts = (count, split_fields(lines[second], 0).total)
    widths = frozenset(max(number, len(table.columns)) for number in (0, *counts))
    names = [normalised(field.value.decode("utf-8", "replace").strip()) for field in fields]
    known = {header for column in table.columns for header in column.headers}
    # A row may hold the name of a column ("Feature"); a header has no integers.
    has_integer = any(name.isdigit() for name in names)
    if has_integer or not known.intersection(names):
        # Without a header the columns are taken on trust, so one of the first two rows must at least look like one; the
        # second tells nothing where the first may be a header that names them otherwise, perhaps in another order.
        rows = (first, second) if has_integer else (first,)
        if not any(lines[row][:1].isdigit() or is_whole_record(lines[row], table.columns, widths) for row in rows):
            raise Refused(
                f"{path}: its first line is neither a header nor a row ({count} fields); expected {_expected(table)}"
            )
        return Layout(path, table, table.columns, widths, start, 1, stat.st_size, stat.st_mtime_ns)
    columns = tuple(_column_of(path, table, name) for name in names)
    missing = [column.headers[0] for column in table.columns if column not in columns]
    if missing:
        raise Refused(f"{path}: the header lacks {', '.join(missing)}; expected {_expected(table)}")
    header_bytes = sum(len(line) + 1 for line in lines[: first + 1])
    first_byte = min(start + header_bytes, stat.st_size)
    return Layout(path, table, columns, widths, first_byte, first + 2, stat.st_size, stat.st_mtime_ns)


def _read_head(path: Path) -> tuple[bytes, os.stat_result]:
    try:
        with path.open("rb") as file:
            stat = os.fstat(file.fileno())  # before what it vouches for
            head = file.read(_HEAD_BYTES)
    except FileNotFoundError:
        raise Refused(f"{path} is missing: all six files must be in one folder") from None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}; check its permissions") from None
    if not head:
        raise Refused(f"{path} is empty: export it again")
    if head.startswith(b"\x1f\x8b"):
        raise Refused(f"{path} is compressed (gzip), not CSV: unpack it with gunzip first")
    lines = head.split(b"\n")
    is_marked = head.startswith((b"\xff\xfe", b"\xfe\xff", b"PK", b"7z\xbc\xaf"))
    # UTF-16 and binary files are full of NULs or of lines that are no UTF-8; a few are a row's fault and reject it.
    if is_marked or head.count(0) > max(16, len(head) // 50) or sum(map(_is_no_utf8, lines)) > max(16, len(lines) // 2):
        raise Refused(f"{path} is not UTF-8 text: export it again as plain CSV")
    if b"\r" in head and b"\n" not in head:
        raise Refused(f"{path} ends its lines with a lone CR: convert it with tr '\\r' '\\n'")
    return head, stat


def _is_no_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _column_of(path: Path, table: Table, name: str) -> Column:
    for column in table.columns:
        if name in column.headers:
            return column
    raise Refused(f"{path}: unknown column {name!r} in the header; expected {_expected(table)}")


def _expected(table: Table) -> str:
    return ",".join(column.headers[0] for column in table.columns)
