"""The path of blocks with a fault: what fits the plain form is taken by vectorised masks, the rest row by row."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import csv

from etl.rejects import RAW_BYTES, Reject, RowError
from etl.rows.arrow import NULL_WORDS, column_type, read_block
from etl.rows.fields import split_fields
from etl.rows.layout import BOM, Layout
from etl.rows.lines import Lines, join_records
from etl.rows.masks import plain_values
from etl.rows.row import Value, clean_row
from etl.tables import Column

_MAX_LINES = 1 << 16
"""So much of a block at once: its lines may be two bytes long, and each a reject."""


class _Plain(NamedTuple):
    """Rows that the masks have taken, their lines, and the lines to look at singly."""

    table: pa.Table | None
    lines: np.ndarray
    slow: list[int]


class CarefulBlock:
    """Rows of one block: `table` with the line (from 0) of each row in `lines`, in the order of the file.

    Rejects have their line in the file, where the block begins at `first_line`.
    """

    def __init__(self, data: bytes, first_line: int, layout: Layout, more_follows: bool) -> None:
        self._first_line = first_line
        self._layout = layout
        self._columns = layout.columns
        self.lines = Lines(data, _MAX_LINES)
        self._more_follows = more_follows or len(self.lines.data) < len(data)
        self.rejects: list[Reject] = []
        plain = self._take_plain(self._join_open_records(self.lines.suspicious()))
        if plain is None:
            # A quote that opens on a line with an even number of them hides where records end.
            self._join_open_records(~self.lines.blank())
            plain = _Plain(None, np.empty(0, np.int64), list(self._records))
        rest, rest_lines, self.repaired_lines = self._clean_one_by_one(plain.slow)
        self.table, self.row_lines = _in_order(plain.table, plain.lines, rest, rest_lines)

    @property
    def used_bytes(self) -> int:
        """How much of the block is done with; less than all when its last record goes on in the next block."""
        lines = self.lines
        return len(lines.data) if self.used_lines == len(lines) else int(lines.starts[self.used_lines])

    def raw(self, line: int) -> bytes:
        """The first bytes of the record that begins at a line."""
        last = self._records.get(line, line)
        return self.lines.text(line, last)[:RAW_BYTES].removesuffix(b"\r")

    def _join_open_records(self, marked: np.ndarray) -> np.ndarray:
        """Notes the records that begin at marked lines; returns which lines are records by themselves."""
        lines = self.lines
        keep = ~lines.blank()
        self.used_lines = len(lines)
        self._records: dict[int, int] = {}
        for first, last in join_records(lines, np.flatnonzero(marked & keep), self._layout, self._more_follows):
            if last is None:
                self.used_lines = first
                keep[first:] = False
                break
            self._records[first] = last
            keep[first : last + 1] = False
        return keep

    def _take_plain(self, keep: np.ndarray) -> _Plain | None:
        """Parses the lines that are records by themselves; None when lines and rows do not agree."""
        kept = np.flatnonzero(keep)
        slow = list(self._records)
        if not len(kept):
            return _Plain(None, kept, slow)
        data = self.lines.join(keep)
        # pyarrow would close a quote at the end of all data without a word, and leave out a byte order mark.
        if data.startswith(BOM) or split_fields(self.lines.text(kept[-1]), len(self._columns)).open:
            return None
        invalid: list[int] = []

        def on_invalid(row: csv.InvalidRow) -> str:
            invalid.append(row.number - 1)
            return "skip"

        types = {column.name: pa.binary() for column in self._columns}
        table = read_block(data, list(types), types, ["", *NULL_WORDS], on_invalid)
        if table.num_rows + len(invalid) != len(kept):
            return None
        parsed = np.delete(kept, invalid)
        good = self._plain_rows(table)
        single = [int(line) for line in (*kept[invalid], *parsed[~good])]
        if any(self._opens_after_space(line) for line in single):
            return None
        plain = _with_types(table if good.all() else table.filter(pa.array(good)), self._columns)
        return _Plain(plain, parsed[good], slow + single)

    def _opens_after_space(self, line: int) -> bool:
        """Whether a field runs over the end of a line by a quote that pyarrow takes for text."""
        text = self.lines.text(line)
        return (b' "' in text or b'\t"' in text) and split_fields(text, len(self._columns)).open

    def _plain_rows(self, table: pa.Table) -> np.ndarray:
        good = np.ones(table.num_rows, bool)
        for at, column in enumerate(self._columns):
            array = table.column(at).combine_chunks()
            if not column.nullable:
                good &= ~np.asarray(array.is_null())
            good &= plain_values(array, column)
        return good

    def _clean_one_by_one(self, slow: list[int]) -> tuple[pa.Table | None, np.ndarray, list[int]]:
        rows: list[list[Value]] = []
        row_lines: list[int] = []
        repaired: list[int] = []
        for line in sorted(slow):
            record = self.lines.text(line, self._records.get(line, line))
            try:
                values, changed = clean_row(record, self._columns)
            except RowError as error:
                reject = Reject(self._first_line + line, error.reason, error.detail, self.raw(line))
                self.rejects.append(reject)
                continue
            rows.append(values)
            row_lines.append(line)
            if changed:
                repaired.append(line)
        if not rows:
            return None, np.empty(0, np.int64), repaired
        arrays = [
            pa.array(values, column_type(column))
            for values, column in zip(zip(*rows, strict=True), self._columns, strict=True)
        ]
        names = [column.name for column in self._columns]
        return pa.table(arrays, names=names), np.array(row_lines), repaired


def _in_order(
    plain: pa.Table | None, plain_lines: np.ndarray, rest: pa.Table | None, rest_lines: np.ndarray
) -> tuple[pa.Table | None, np.ndarray]:
    tables = [table for table in (plain, rest) if table is not None]
    if not tables:
        return None, np.empty(0, np.int64)
    if len(tables) == 1:
        return tables[0], plain_lines if plain is not None else rest_lines
    lines = np.concatenate((plain_lines, rest_lines))
    order = np.argsort(lines)
    return pa.concat_tables(tables).take(pa.array(order)), lines[order]


def _with_types(table: pa.Table, columns: tuple[Column, ...]) -> pa.Table:
    arrays = [table.column(at).cast(pa.string()).cast(column_type(column)) for at, column in enumerate(columns)]
    return pa.table(arrays, names=table.column_names)
