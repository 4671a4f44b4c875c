"""How pyarrow reads a block, and the types that rows have between the file and COPY."""

from collections.abc import Callable

import pyarrow as pa
from pyarrow import csv

from etl.rows.blocks import BLOCK_BYTES
from etl.rows.fields import MAX_ROW_BYTES
from etl.tables import Column

PRICE = pa.decimal128(38, 18)
"""Exact for 20 digits before the point and 18 after it, like the numeric in PostgreSQL."""
NULL_WORDS = ["\\N"] + [a + b + c + d for a in "nN" for b in "uU" for c in "lL" for d in "lL"]
_LARGEST_BLOCK = 4 * max(BLOCK_BYTES, MAX_ROW_BYTES)
"""A block must be one batch, or row numbers would restart."""


def column_type(column: Column) -> pa.DataType:
    """The type in which a column goes to COPY."""
    if column.is_integer:
        return pa.int32()
    return {"price": PRICE, "boolean": pa.bool_()}.get(column.kind, pa.string())


def read_block(
    data: bytes,
    names: list[str],
    types: dict[str, pa.DataType],
    nulls: list[str],
    on_invalid: Callable[[csv.InvalidRow], str] | None = None,
) -> pa.Table:
    """Parses whole lines; one of `nulls` is null only if it is bare.

    Raises:
        pa.ArrowInvalid: when a row has another number of fields (without `on_invalid`), or a value not its type.
    """
    # At the end of all data pyarrow takes an empty last field for a quoted one.
    data = data if data.endswith(b"\n") else data + b"\n"
    return csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(use_threads=False, column_names=names, block_size=_LARGEST_BLOCK),
        parse_options=csv.ParseOptions(newlines_in_values=True, invalid_row_handler=on_invalid),
        convert_options=csv.ConvertOptions(
            column_types=types,
            null_values=nulls,
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
