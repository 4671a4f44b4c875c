"""Finds the values of a column that are in the plain form of README.md, all at once."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from etl.rows.layout import NINE, ZERO
from etl.tables import MAX_INT, Column

PLAIN_PRICE = r"^[0-9]{1,20}(\.[0-9]{1,18})?$"
_IS_SPACE = np.isin(np.arange(256), list(b" \t\r\n"))


def plain_values(array: pa.Array, column: Column) -> np.ndarray:
    """Which values need no repair and break no rule; null counts as good here."""
    if column.kind == "text":
        return ~has_edge_space(array)
    if column.kind in ("field", "ignored"):  # members.py looks at fields
        return np.ones(len(array), bool)
    if column.kind == "price":
        return np.asarray(pc.fill_null(pc.match_substring_regex(array, PLAIN_PRICE), True))
    return _plain_digits(array, column)


def _plain_digits(array: pa.Array, column: Column) -> np.ndarray:
    good = np.asarray(array.is_null())
    text = text_bytes(array)
    if not len(text):
        return good
    offsets = _offsets(array)
    lengths = np.diff(offsets)
    good = good | (lengths > 0)
    good[_rows_of(array, np.flatnonzero((text < ZERO) | (text > NINE)))] = False
    first = text[np.minimum(offsets[:-1], len(text) - 1)]
    good &= (lengths <= 1) | (first != ZERO)
    good &= lengths <= (1 if column.kind == "boolean" else 10)
    numbers = np.zeros(len(array), np.int64)
    numbers[good] = np.asarray(pc.fill_null(array.filter(pa.array(good)).cast(pa.string()).cast(pa.int64()), 0))
    good &= (numbers >= column.minimum) & (numbers <= (1 if column.kind == "boolean" else MAX_INT))
    return good


def _offsets(array: pa.Array) -> np.ndarray:
    bounds = _bounds(array)
    return np.asarray(bounds - bounds[0])


def _bounds(array: pa.Array) -> np.ndarray:
    """The beginning of each value in the shared bytes, and the end of the last one."""
    buffer: np.ndarray = np.frombuffer(array.buffers()[1], np.int32)
    return buffer[array.offset : array.offset + len(array) + 1]


def _rows_of(array: pa.Array, positions: np.ndarray) -> np.ndarray:
    rows: np.ndarray = np.searchsorted(_offsets(array), positions, side="right") - 1
    return rows


def text_bytes(array: pa.Array) -> np.ndarray:
    """The bytes of all values of a string or binary array, one after another."""
    data = array.buffers()[2]
    if data is None:
        return np.empty(0, np.uint8)
    bounds = _bounds(array)
    return np.frombuffer(data, np.uint8)[bounds[0] : bounds[-1]]


def has_empty(array: pa.Array) -> bool:
    """A value is an empty text, which null is not."""
    return bool(np.count_nonzero(np.diff(_offsets(array)) == 0) > array.null_count)


def has_edge_space(array: pa.Array) -> np.ndarray:
    """Which values begin or end with space. Bare ones are trimmed, quoted ones kept: only the row shows which."""
    text = text_bytes(array)
    if not len(text):
        return np.zeros(len(array), bool)
    bounds = _offsets(array)
    begins, ends = bounds[:-1], bounds[1:]
    # An empty value reads a byte of its neighbour, and the last line excludes it: cheaper than a filter first.
    spaced = _IS_SPACE.take(text.take(begins, mode="clip")) | _IS_SPACE.take(text.take(ends - 1, mode="clip"))
    return np.asarray(spaced & (begins < ends))
