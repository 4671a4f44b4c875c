"""Reads the beginning of a file: whether it is text and has a header, and the order of its columns."""

import difflib
import os
import shlex
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from etl.errors import Refused
from etl.rows.fields import split_fields
from etl.rows.formats import foreign_format
from etl.rows.record import is_whole_record
from etl.tables import Column, Field, Table, normalised

BOM = b"\xef\xbb\xbf"
NEWLINE, RETURN, QUOTE, COMMA, ZERO, NINE = b'\n\r",09'
_HEAD_BYTES = 1 << 16
_MAX_COLUMNS = 250


@dataclass(frozen=True)
class Layout:
    """The beginning of rows (byte, line from 1) and the columns in the order of this file, with those that are ignored.

    `fields` are what the shop declares of the table, in its order, and `ignored` the headers that nothing declares.
    """

    path: Path
    table: Table
    columns: tuple[Column, ...]
    first_byte: int
    first_line: int
    size: int
    modified_ns: int
    fields: tuple[Field, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """The number of values of a row."""
        return len(self.columns)

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


def read_layout(path: Path, table: Table, fields: tuple[Field, ...] = (), may_lack: bool = False) -> Layout:
    """Reads the beginning of a file. One that `may_lack` columns has a header with the id: the table is what it has.

    Raises:
        Refused: when the file is missing, empty, not text, or lacks a column.
    """
    head, found = _read_head(path)
    start = len(BOM) if head.startswith(BOM) else 0
    lines = head[start:].split(b"\n")
    first, second, *_ = [place for place, line in enumerate(lines) if line.rstrip(b"\r")] + [0, 0]
    split = split_fields(lines[first].rstrip(b"\r"), 0, _MAX_COLUMNS)
    headers = [field.value.decode("utf-8", "replace").strip() for field in split.fields]
    names = [normalised(header) for header in headers]
    while names and not names[-1]:
        names.pop()  # every line may end in a comma
    columns = _columns_of(table, fields, names)
    has_integer = any(name.isdigit() for name in names)
    if may_lack and not has_integer and any(column in columns for column in table.columns):
        table, fields = _part_of(path, table, fields, columns)
    missing = [column.headers[0] for column in table.columns if column not in columns]
    # A row may hold the name of a column ("Feature"); a header has all of them, or no integer.
    if missing and (has_integer or len(missing) == len(table.columns)):
        # Without a header the order of columns is assumed, so one of the first two lines must look like a row. Only the
        # first counts if it has no integer: it may be a header with other names, perhaps in another order.
        rows = [lines[row] for row in ((first, second) if has_integer else (first,))]
        width = len(table.columns)
        if not any(row[:2].lstrip(b'"')[:1].isdigit() or is_whole_record(row, table.columns, width) for row in rows):
            count = len(split.fields)
            raise Refused(
                f"{path}: its first line is neither a header nor a row ({count} fields); expected {_expected(table)}"
            )
        _require_fields(path, () if may_lack else fields, (), ())
        return Layout(path, table, table.columns, start, 1, found.st_size, found.st_mtime_ns)
    if missing:
        raise Refused(f"{path}: the header lacks {', '.join(missing)}; expected {_expected(table)}")
    if split.problem == "surplus" or split.surplus:
        raise Refused(f"{path}: the header has more than {_MAX_COLUMNS} columns: export fewer")
    ignored = tuple(header for header, column in zip(headers, columns, strict=False) if column.kind == "ignored")
    _require_fields(path, fields, columns, ignored)
    first_byte = min(start + sum(len(line) + 1 for line in lines[: first + 1]), found.st_size)
    return Layout(path, table, columns, first_byte, first + 2, found.st_size, found.st_mtime_ns, fields, ignored)


def _part_of(
    path: Path, table: Table, fields: tuple[Field, ...], columns: tuple[Column, ...]
) -> tuple[Table, tuple[Field, ...]]:
    """The table and the fields as far as these columns have them.

    Raises:
        Refused: without the id.
    """
    key, *_ = table.columns
    if key not in columns:
        raise Refused(f"{path}: the header lacks {key.headers[0]}, which says what each row changes: add it")
    found = replace(table, columns=tuple(column for column in table.columns if column in columns))
    return found, tuple(field for field in fields if field_column(field) in columns)


def _columns_of(table: Table, fields: tuple[Field, ...], names: list[str]) -> tuple[Column, ...]:
    """The columns of a header. The first one of a name counts; what nothing declares is ignored."""
    known = {header: column for column in table.columns for header in column.headers}
    known |= {normalised(field.column): field_column(field) for field in fields}
    columns: list[Column] = []
    for at, name in enumerate(names):
        column = known.get(name)
        if column is None or column in columns:
            column = Column(f"ignored {at}", "ignored", (), nullable=True)
        columns.append(column)
    return tuple(columns)


def field_column(field: Field) -> Column:
    """The column that holds a field."""
    return Column(f"field.{field.name}", "field", (normalised(field.column),), nullable=True, field=field)


def _require_fields(
    path: Path, fields: tuple[Field, ...], columns: tuple[Column, ...], ignored: tuple[str, ...]
) -> None:
    missing = [field for field in fields if field_column(field) not in columns]
    if missing:
        named = ", ".join(f"{field.column!r} of the field {field.name}{_meant(field, ignored)}" for field in missing)
        where = "the header lacks" if columns else "it has no header with"
        raise Refused(
            f'{path}: {where} the column {named}: correct its "column" in fields.json, add it to the file, '
            "or take the field out of fields.json"
        )


def _meant(field: Field, ignored: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(field.column.casefold(), [header.casefold() for header in ignored], n=1)
    meant = [header for header in ignored if header.casefold() in near]
    return f" (did you mean {meant[0]!r}?)" if meant else ""


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


def _expected(table: Table) -> str:
    return ",".join(column.headers[0] for column in table.columns)
