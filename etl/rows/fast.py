"""The path of sound blocks: let pyarrow parse them with types, then prove by counting that nothing was repaired.

pyarrow is lenient (it trims numbers, reads hexadecimal, joins lines inside quotes). Written back in the plain
form (README.md), its rows must have as many bytes, quotes and lines as the block has; where they do not, the block
takes the careful path. Counting costs a tenth of what looking at each field would.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from etl.rows.arrow import PRICE, read_block
from etl.rows.masks import PLAIN_PRICE, has_edge_space, text_bytes
from etl.tables import Column


def parse_plain(data: bytes, columns: tuple[Column, ...]) -> pa.Table | None:
    """Rows of a block in which every row is in the plain form, otherwise None."""
    buffer = np.frombuffer(data, np.uint8)
    newlines = int(np.count_nonzero(buffer == 10))
    ends_open = not data.endswith(b"\n")
    returns = _carriage_returns(data, newlines)
    if b"\0" in data or returns is None:
        return None
    types = {column.name: _parsed_type(column) for column in columns}
    try:
        table = read_block(data, [column.name for column in columns], types)
    except pa.ArrowInvalid:
        return None
    if table.num_rows != newlines + ends_open:
        return None
    expected_bytes = newlines + returns + table.num_rows * (len(columns) - 1)
    expected_quotes = 0
    for at, column in enumerate(columns):
        array = table.column(at).combine_chunks()
        if array.null_count and not column.nullable:
            return None
        value_bytes, quotes = _plain_size(array, column)
        if value_bytes < 0:
            return None
        expected_bytes += value_bytes + 4 * array.null_count
        expected_quotes += quotes
    quotes = int(np.count_nonzero(buffer == 34))
    if quotes != expected_quotes or len(data) != expected_bytes + quotes:
        return None
    return _with_types(table, columns)


def _parsed_type(column: Column) -> pa.DataType:
    if column.is_integer:
        return pa.int32()
    return pa.int8() if column.kind == "boolean" else pa.string()


def _carriage_returns(data: bytes, newlines: int) -> int | None:
    """How many line ends are CRLF; None when a CR stands elsewhere."""
    if b"\r" not in data:
        return 0
    pairs = data.count(b"\r\n")
    return pairs if pairs == newlines == data.count(b"\r") else None


def _plain_size(array: pa.Array, column: Column) -> tuple[int, int]:
    """Bytes other than quotes, and quotes, that the values have in the plain form; negative bytes: not plain."""
    if column.is_integer or column.kind == "boolean":
        values = np.frombuffer(array.buffers()[1], np.int8 if column.kind == "boolean" else np.int32)
        values = values[array.offset : array.offset + len(array)]
        low, high = int(values.min()), int(values.max())
        if low < column.minimum or (column.kind == "boolean" and high > 1):
            return -1, 0
        return _digits(values, high), 0
    text = text_bytes(array)
    if column.kind == "price":
        plain = pc.all(pc.match_substring_regex(array, PLAIN_PRICE)).as_py()
        return (len(text), 0) if plain is not False else (-1, 0)
    if has_edge_space(array).any():
        return -1, 0
    inner = int(np.count_nonzero(text == 34))
    return len(text) - inner, 2 * (len(array) - array.null_count) + 2 * inner


def _digits(values: np.ndarray, high: int) -> int:
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
