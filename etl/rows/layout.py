"""Reads the beginning of a file: whether it is text and has a header, and the order of its columns."""

import os
import shlex
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from etl.errors import Refused
from etl.rows.fields import split_fields
from etl.rows.formats import foreign_format
from etl.rows.record import is_whole_record
from etl.tables import Column, Table, normalised

BOM = b"\xef\xbb\xbf"
NEWLINE, RETURN, QUOTE, COMMA, ZERO, NINE = b'\n\r",09'
_HEAD_BYTES = 1 << 16
_MAX_COLUMNS = 100


@dataclass(frozen=True)
class Layout:
    """The beginning of rows (byte, line from 1) and the columns in the order of this file.

    `width` is the number of fields of a row. It exceeds our columns only if the header names more, which are ignored.
    """

    path: Path
    table: Table
    columns: tuple[Column, ...]
    width: int
    first_byte: int
    first_line: int
    size: int
    modified_ns: int

    def is_of(self, found: os.stat_result) -> bool:
        """The file is still the one that was read."""
        return (found.st_size, found.st_mtime_ns) == (self.size, self.modified_ns)


def open_regular(path: Path) -> BinaryIO:
    """Opens a file for reading, unbuffered.

    Raises:
        Refused: when it is not a regular file. Opening a named pipe would wait for its writer and take its data.
    """
    _require_regular(path, path.stat().st_mode)
    # Another program may put a pipe there after the check: do not wait for it either.
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0)
    try:
        _require_regular(path, os.fstat(file.fileno()).st_mode)
    except Refused:
        file.close()
        raise
    return file


def _require_regular(path: Path, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
    kind = kinds.get(stat.S_IFMT(mode), "a device")
    raise Refused(f"{path} cannot be read: it is {kind}, not a regular file; put the CSV file itself there")


def read_layout(path: Path, table: Table) -> Layout:
    """Reads the beginning of a file.

    Raises:
        Refused: when the file is missing, empty, not text, or lacks a column.
    """
    head, found = _read_head(path)
    start = len(BOM) if head.startswith(BOM) else 0
    lines = head[start:].split(b"\n")
    first, second, *_ = [place for place, line in enumerate(lines) if line.rstrip(b"\r")] + [0, 0]
    fields = split_fields(lines[first].rstrip(b"\r"), 0, _MAX_COLUMNS).fields
    names = [normalised(field.value.decode("utf-8", "replace").strip()) for field in fields]
    while names and not names[-1]:
        names.pop()  # every line may end in a comma
    names, others = names[: len(table.columns)], names[len(table.columns) :]
    known = {header for column in table.columns for header in column.headers}
    # A row may hold the name of a column ("Feature"); a header has no integers.
    has_integer = any(name.isdigit() for name in names)
    if has_integer or not known.intersection(names):
        # Without a header the order of columns is assumed, so one of the first two lines must look like a row. Only the
        # first counts if it has no integer: it may be a header with other names, perhaps in another order.
        rows = [lines[row] for row in ((first, second) if has_integer else (first,))]
        width = len(table.columns)
        if not any(row[:2].lstrip(b'"')[:1].isdigit() or is_whole_record(row, table.columns, width) for row in rows):
            count = len(fields)
            raise Refused(
                f"{path}: its first line is neither a header nor a row ({count} fields); expected {_expected(table)}"
            )
        return Layout(path, table, table.columns, width, start, 1, found.st_size, found.st_mtime_ns)
    columns = tuple(_column_of(path, table, name) for name in names)
    missing = [column.headers[0] for column in table.columns if column not in columns]
    if missing:
        raise Refused(f"{path}: the header lacks {', '.join(missing)}; expected {_expected(table)}")
    header_bytes = sum(len(line) + 1 for line in lines[: first + 1])
    first_byte = min(start + header_bytes, found.st_size)
    width = len(columns) + len(others)
    return Layout(path, table, columns, width, first_byte, first + 2, found.st_size, found.st_mtime_ns)


def _read_head(path: Path) -> tuple[bytes, os.stat_result]:
    try:
        with open_regular(path) as file:
            found = os.fstat(file.fileno())  # before the bytes that it describes
            head = file.read(_HEAD_BYTES)
    except FileNotFoundError:
        raise Refused(f"{path} is missing: all six files must be in one folder") from None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}; check its permissions") from None
    if not head:
        raise Refused(f"{path} is empty: export it again")
    _require_text(path, head)
    return head, found


def _require_text(path: Path, head: bytes) -> None:
    if foreign := foreign_format(head):
        what, remedy = foreign
        raise Refused(f"{path} is {what}, not UTF-8 text: {remedy.replace('FILE', shlex.quote(str(path)))}")
    lines = head.split(b"\n")
    # Binary files are full of NULs or lines that are not UTF-8; a few of them are defects of rows.
    is_binary = head.count(0) > max(16, len(head) // 50) or sum(map(_is_no_utf8, lines)) > max(16, len(lines) // 2)
    has_lone_cr = b"\r" in head and b"\n" not in head
    # Binary data that contains a CR has no lines.
    if is_binary or (has_lone_cr and _is_no_utf8(head[: head.rindex(b"\r")])):
        raise Refused(f"{path} is not UTF-8 text: export it again as plain CSV")
    if has_lone_cr:
        raise Refused(f"{path} ends its lines with a lone CR: convert it with tr '\\r' '\\n'")


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
