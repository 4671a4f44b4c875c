"""The path of sound blocks: pyarrow parses them with types, then counting proves that nothing was repaired.

pyarrow is lenient: it trims numbers, reads hexadecimal, and accepts text after a closing quote. So every quote must be
where a field can begin or end. Written back in the plain form (README.md), the rows must have as many bytes as the
block has, without the quotes; otherwise the block takes the careful path. The proof needs that no field is shorter than
its plain form, or two defects could balance: _has_empty_bare_field and _HEXADECIMAL_AS_SHORT look for such fields.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from etl.rows.arrow import NULL_WORDS, PRICE, read_block
from etl.rows.fields import MAX_ROW_BYTES
from etl.rows.layout import NEWLINE, QUOTE, RETURN
from etl.rows.masks import PLAIN_PRICE, has_edge_space, has_empty, text_bytes
from etl.rows.members import with_members
from etl.rows.records import can_close, can_open
from etl.tables import MAX_INT, Column

_HEXADECIMAL_AS_SHORT = [(10**6, 0xFFFFF), (10**7, 0xFFFFFF), (10**8, 0xFFFFFFF), (10**9, MAX_INT)]
"""Ranges in which a number has two more digits in decimal, which offsets 0x. Elsewhere hexadecimal is longer."""
_SLICE_BYTES = 1 << 16
"""A slice fits into the processor's cache, which halves the time of a comparison byte by byte."""


class PlainBlock(NamedTuple):
    """The rows of a block up to its last whole record, and the line (from 0) where each begins."""

    table: pa.Table
    lines: np.ndarray
    used_bytes: int
    used_lines: int


def parse_plain(data: bytes, columns: tuple[Column, ...]) -> PlainBlock | None:
    """Rows of a block in which every row is in the plain form, otherwise None."""
    buffer = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(buffer == QUOTE)
    if len(quotes) & 1:  # a field continues in the next block
        data = data[: _end_of_whole_records(data, quotes)]
        buffer, quotes = buffer[: len(data)], quotes[quotes < len(data)]
    # \N is null and shorter than "null", so counting would not see it.
    if not data or b"\0" in data or b"\\N" in data or not _are_strict(buffer, quotes):
        return None
    types = {column.name: _parsed_type(column) for column in columns}
    try:
        table = read_block(data, [column.name for column in columns], types, NULL_WORDS)
    except pa.ArrowInvalid:
        return None
    ends = _record_ends(data, buffer, quotes, table.num_rows)
    if ends is None or len(ends.lines) != table.num_rows:
        return None
    expected_bytes = ends.bytes + len(quotes) + table.num_rows * (len(columns) - 1)
    for at, column in enumerate(columns):
        array = table.column(at).combine_chunks()
        if array.null_count and not column.nullable:
            return None
        value_bytes = _plain_bytes(array, column, buffer)
        if value_bytes is None:
            return None
        expected_bytes += value_bytes + len("null") * array.null_count
    if len(data) != expected_bytes:
        return None
    table, is_plain = with_members(_with_types(table, columns), columns)
    return PlainBlock(table, ends.lines, len(data), ends.total) if is_plain.all() else None


def _end_of_whole_records(data: bytes, quotes: np.ndarray) -> int:
    """The beginning of the record with the last quote, which is open."""
    end = int(quotes[-1])
    while np.searchsorted(quotes, end) & 1 or (end and data[end - 1] != NEWLINE):
        end = data.rfind(b"\n", 0, max(end - 1, 0)) + 1
    return end


def _are_strict(buffer: np.ndarray, quotes: np.ndarray) -> bool:
    """All quotes open and close fields in turn, or are doubled."""
    return bool(can_open(buffer, quotes[::2]).all() and can_close(buffer, quotes[1::2]).all())


class _Ends(NamedTuple):
    """The bytes of all line ends of records, the first line of each record, and how many lines there are."""

    bytes: int
    lines: np.ndarray
    total: int


def _record_ends(data: bytes, buffer: np.ndarray, quotes: np.ndarray, rows: int) -> _Ends | None:
    """The ends of records; None when a bare CR ends no line, or a record is too long."""
    newlines = data.count(b"\n")
    returns = data.count(b"\r")
    total = newlines + (not data.endswith(b"\n"))
    if total == rows and (not returns or returns == newlines == data.count(b"\r\n")):
        return _Ends(newlines + returns, np.arange(rows, dtype=np.int32), total)
    at = np.flatnonzero(buffer == NEWLINE)
    ends = at[np.searchsorted(quotes, at) & 1 == 0]
    bare_returns = np.flatnonzero(buffer == RETURN)
    bare_returns = bare_returns[np.searchsorted(quotes, bare_returns) & 1 == 0]
    if not (buffer.take(bare_returns + 1, mode="clip") == NEWLINE).all():
        return None
    if (np.diff(ends, prepend=-1) > MAX_ROW_BYTES + 1).any():
        return None
    following = np.searchsorted(at, ends).astype(np.int32) + np.int32(1)
    lines = np.append(np.int32(0), following)
    return _Ends(len(ends) + len(bare_returns), lines[lines < total], total)


def _parsed_type(column: Column) -> pa.DataType:
    if column.is_integer:
        return pa.int32()
    return pa.int8() if column.kind == "boolean" else pa.string()


def _plain_bytes(array: pa.Array, column: Column, buffer: np.ndarray) -> int | None:
    """How many bytes other than quotes the values have in the plain form; None when one of them is not plain."""
    if column.is_integer or column.kind == "boolean":
        return _plain_integer_bytes(array, column, buffer)
    text = text_bytes(array)
    if column.kind == "price":
        plain = pc.all(pc.match_substring_regex(array, PLAIN_PRICE)).as_py()
        return None if plain is False else len(text)
    # A field and what is ignored have no value, wherever they are empty.
    if column.kind == "text" and (has_edge_space(array).any() or (has_empty(array) and _has_empty_bare_field(buffer))):
        return None
    return len(text) - int(np.count_nonzero(text == QUOTE))


def _plain_integer_bytes(array: pa.Array, column: Column, buffer: np.ndarray) -> int | None:
    values = np.frombuffer(array.buffers()[1], np.int8 if column.kind == "boolean" else np.int32)
    values = values[array.offset : array.offset + len(array)]
    low, high = int(values.min()), int(values.max())
    if low < column.minimum or (column.kind == "boolean" and high > 1):
        return None
    if any(high >= first and low <= last for first, last in _HEXADECIMAL_AS_SHORT) and _has_hexadecimal(buffer):
        return None
    return _count_digits(values, high)


def _has_hexadecimal(buffer: np.ndarray) -> bool:
    """0x may occur in text too, which only makes such a block slower."""
    buffer = buffer[buffer != QUOTE]  # "0"x is read as 0x
    x = (buffer == ord("x")) | (buffer == ord("X"))
    return bool((x[1:] & (buffer[:-1] == ord("0"))).any())


def _has_empty_bare_field(buffer: np.ndarray) -> bool:
    """A field may be empty and bare, which is null: two ends of fields in sequence, even inside a text."""
    for at in range(0, len(buffer), _SLICE_BYTES):
        part = buffer[at : at + _SLICE_BYTES + 1]
        comma = part == ord(",")
        end = comma | (part == ord("\n")) | (part == ord("\r"))
        if ((comma[:-1] & end[1:]) | (end[:-1] & comma[1:])).any():
            return True
    return bool(buffer[0] == ord(",") or buffer[-1] == ord(","))


def _count_digits(values: np.ndarray, high: int) -> int:
    total = len(values)
    power = 10
    while power <= high:
        total += int(np.count_nonzero(values >= power))
        power *= 10
    return total


def _with_types(table: pa.Table, columns: tuple[Column, ...]) -> pa.Table:
    arrays = []
    for at, column in enumerate(columns):
        array = table.column(at)
        if column.kind == "price":
            array = array.cast(PRICE)
        elif column.kind == "boolean":
            array = array.cast(pa.bool_())
        arrays.append(array)
    return pa.table(arrays, names=table.column_names)
