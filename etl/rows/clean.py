"""Cleans a block: the fast path when every row is plain, otherwise the careful one."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from etl.rejects import RAW_BYTES, Reject, Repair
from etl.rows.arrow import column_type
from etl.rows.blocks import Block
from etl.rows.careful import CarefulBlock
from etl.rows.fast import PlainBlock, parse_plain
from etl.rows.fields import MAX_ROW_BYTES
from etl.rows.layout import Layout
from etl.rows.lines import Lines
from etl.rows.members import with_fields
from etl.rows.record import After


@dataclass
class CleanBlock:
    """Rows in file order, our columns in the order of the file, and one of fields behind them.

    `lines` has the line of each row. `raw` returns the beginning of the record at a line, for rows that are rejected
    later (duplicates, orphans).
    """

    table: pa.Table
    lines: np.ndarray
    rejects: list[Reject]
    raw: Callable[[int], bytes]
    used_bytes: int
    used_lines: int
    repairs: list[Repair] = field(default_factory=list)


def clean_block(block: Block, layout: Layout) -> CleanBlock:
    """Reads the rows of a block; what needs the next block is not counted as used."""
    first = block.first_line
    too_long = [
        Reject(line, "row_too_long", f"longer than {MAX_ROW_BYTES} bytes", raw) for line, raw in block.long_rows
    ]
    if not block.data:
        return _nothing(layout, too_long)
    plain = parse_plain(block.data, layout.columns)
    if plain is not None:
        is_all = plain.used_bytes == len(block.data)
        raw = _RawRecords(block.data, first, plain)
        return CleanBlock(
            with_fields(plain.table, layout.columns, layout.fields),
            plain.lines + np.int32(first),
            too_long if is_all else [],
            raw,
            plain.used_bytes,
            plain.used_lines,
        )
    after: After = "long row" if block.long_rows else "nothing" if block.is_last else "more"
    careful = CarefulBlock(block.data, first, layout, after)
    return CleanBlock(
        _nothing(layout, []).table
        if careful.table is None
        else with_fields(careful.table, layout.columns, layout.fields),
        (careful.row_lines + first).astype(np.int32),
        careful.rejects + (too_long if careful.used_bytes == len(block.data) else []),
        lambda line: careful.raw(line - first),
        careful.used_bytes,
        careful.used_lines,
        careful.repairs,
    )


def _nothing(layout: Layout, rejects: list[Reject]) -> CleanBlock:
    empty = pa.schema([(column.name, column_type(column)) for column in layout.columns]).empty_table()
    table = with_fields(empty, layout.columns, layout.fields)
    return CleanBlock(table, np.empty(0, np.int32), rejects, lambda _: b"", 0, 0)


class _RawRecords:
    """Returns the record that begins at a line; finds the line ends once, on the first call.

    A file of the wrong catalog has an orphan on every line: a search from the start for each would take hours.
    """

    def __init__(self, data: bytes, first_line: int, plain: PlainBlock) -> None:
        self._data = data
        self._first_line = first_line
        self._plain = plain
        self._lines: Lines | None = None

    def __call__(self, line: int) -> bytes:
        self._lines = self._lines or Lines(self._data)
        line -= self._first_line
        following = np.searchsorted(self._plain.lines, line) + 1
        after = self._plain.lines[following] if following < len(self._plain.lines) else self._plain.used_lines
        text = self._data[self._lines.starts[line] : self._lines.ends[after - 1]]
        return text[:RAW_BYTES].rstrip(b"\r")
