"""A block in, clean rows and rejects out: the fast path when every row is plain, otherwise the careful one."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from etl.rejects import RAW_BYTES, Reject
from etl.rows.arrow import column_type
from etl.rows.blocks import Block
from etl.rows.careful import CarefulBlock
from etl.rows.fast import parse_plain
from etl.rows.layout import MAX_ROW_BYTES, Layout
from etl.rows.lines import Lines
from etl.tables import Column


@dataclass
class CleanBlock:
    """Rows in file order, columns in the order of the file.

    `lines` and `repaired` go with the rows; `raw` gives the beginning of the record at a line of the file, for rows
    that are rejected later (duplicates, orphans).
    """

    table: pa.Table
    lines: np.ndarray
    repaired: np.ndarray
    rejects: list[Reject]
    raw: Callable[[int], bytes]
    used_bytes: int
    used_lines: int


def clean_block(block: Block, layout: Layout) -> CleanBlock:
    """Reads the rows of a block; what it could not use without the next block is not counted as used."""
    first = block.first_line
    too_long = [
        Reject(line, "row_too_long", f"longer than {MAX_ROW_BYTES} bytes", raw) for line, raw in block.long_rows
    ]
    if not block.data:
        return _nothing(layout.columns, too_long)
    table = parse_plain(block.data, layout.columns)
    if table is not None:
        lines = np.arange(first, first + table.num_rows, dtype=np.int32)
        unrepaired = np.zeros(len(lines), bool)
        raw = _RawLines(block.data, first)
        return CleanBlock(table, lines, unrepaired, too_long, raw, len(block.data), len(lines))
    # A row that is too long stands after the block: nothing of the block can go on after it.
    careful = CarefulBlock(block.data, first, layout, not block.is_last and not block.long_rows)
    lines = (careful.row_lines + first).astype(np.int32)
    return CleanBlock(
        careful.table if careful.table is not None else _nothing(layout.columns, []).table,
        lines,
        np.isin(lines, np.array(careful.repaired_lines, np.int32) + first),
        careful.rejects + (too_long if careful.used_bytes == len(block.data) else []),
        lambda line: careful.raw(line - first),
        careful.used_bytes,
        careful.used_lines,
    )


def _nothing(columns: tuple[Column, ...], rejects: list[Reject]) -> CleanBlock:
    schema = pa.schema([(column.name, column_type(column)) for column in columns])
    none = np.empty(0, np.int32)
    return CleanBlock(schema.empty_table(), none, none.astype(bool), rejects, lambda _: b"", 0, 0)


class _RawLines:
    """Finds lines by their number; looks for the line ends once, and only when a line is asked for.

    A file of the wrong catalog has an orphan on every line: looking for each from the start would take hours.
    """

    def __init__(self, data: bytes, first_line: int) -> None:
        self._data = data
        self._first_line = first_line
        self._lines: Lines | None = None

    def __call__(self, line: int) -> bytes:
        self._lines = self._lines or Lines(self._data)
        return self._lines.text(line - self._first_line)[:RAW_BYTES].removesuffix(b"\r")
