"""The path of blocks with a defect: vectorised masks take the rows in the plain form, the rest is read row by row."""

import numpy as np
import pyarrow as pa

from etl.rejects import RAW_BYTES, Reject, Repair, RowError
from etl.rows.arrow import NULL_WORDS, column_type, read_block
from etl.rows.layout import BOM, Layout
from etl.rows.lines import Lines
from etl.rows.masks import plain_values
from etl.rows.members import with_members
from etl.rows.record import After, read_record
from etl.rows.records import Records, Run
from etl.rows.row import Value, clean_record
from etl.tables import Column

_MAX_LINES = 1 << 16
"""Lines of a block that are read at once: they may be two bytes long, and each a reject."""


class CarefulBlock:
    """Rows of one block: `table` with the line (from 0) of each row in `row_lines`, in the order of the file.

    Rejects and repairs carry the line of the file, where the block begins at `first_line`.
    """

    def __init__(self, data: bytes, first_line: int, layout: Layout, after: After) -> None:
        self._data = data
        self._first_line = first_line
        self._layout = layout
        self._columns = layout.columns
        self._after = after
        self.lines = Lines(data, _MAX_LINES)
        self.rejects: list[Reject] = []
        self.repairs: list[Repair] = []
        self._single: list[tuple[int, list[Value]]] = []
        self._ends: dict[int, int] = {}
        plain, self._plain_lines, odd = self._take_plain(self._find_records())
        for line in odd:
            self._read(line)
        self.rejects.sort(key=lambda reject: reject.line)
        self.repairs.sort(key=lambda repair: repair.line)
        self._single.sort(key=lambda row: row[0])
        lines = np.array([line for line, _ in self._single], np.int64)
        self.table, self.row_lines = _in_order(plain, self._plain_lines.first, self._single_table(), lines)

    def raw(self, line: int) -> bytes:
        """The first bytes of the record of the row that begins at a line."""
        start, end = int(self.lines.starts[line]), self._ends.get(line)
        if end is None:
            end = int(self.lines.ends[self._plain_lines.last[np.searchsorted(self._plain_lines.first, line)]])
        return self._data[start : min(end, start + RAW_BYTES)].rstrip(b"\r")

    def _read(self, line: int) -> int | None:
        """Reads the record that begins at a line and cleans it; returns where it ends, or None when it continues."""
        layout, start = self._layout, int(self.lines.starts[line])
        record = read_record(self._data, start, layout.columns, layout.width, self._after)
        if record is None:
            return None
        self._ends[line] = record.end
        try:
            values, mends = clean_record(record, self._data[start : record.end], self._columns)
        except RowError as error:
            self.rejects.append(Reject(self._first_line + line, error.reason, error.detail, self.raw(line)))
        else:
            self._single.append((line, values))
            self.repairs += (Repair.of(self._first_line + line, *mend) for mend in mends)
        return record.end

    def _find_records(self) -> Run:
        """Finds the records that quotes read strictly delimit; the others are read one by one, where they begin."""
        records = Records(self.lines, self._layout.width)
        runs = [Run(np.empty(0, np.int64), np.empty(0, np.int64))]
        line = used = 0
        while line < len(self.lines):
            run = records.run_from(line)
            if len(run.last):
                runs.append(run)
                line, used = int(run.last[-1]) + 1, int(self.lines.ends[run.last[-1]]) + 1
                continue
            end = self._read(line)
            if end is None:
                break
            line += self._data.count(b"\n", used, end) + 1
            used = self._data.find(b"\n", end) + 1 or len(self._data)
        # The last line of a file may lack its end.
        self.used_lines, self.used_bytes = line, min(used, len(self._data))
        first, last = (np.concatenate(sides) for sides in zip(*runs, strict=True))
        return Run(first, last)

    def _take_plain(self, records: Run) -> tuple[pa.Table | None, Run, list[int]]:
        """Parses records that strict quotes delimit; returns the plain rows and their lines, and where others begin."""
        is_blank = (records.first == records.last) & self.lines.blank()[records.last]
        first, last = records.first[~is_blank], records.last[~is_blank]
        nothing = Run(first[:0], last[:0])
        data = self.lines.join(first, last)
        # pyarrow leaves out a byte order mark, which is part of the first value here.
        if not len(first) or data.startswith(BOM):
            return None, nothing, first.tolist()
        types = {column.name: pa.binary() for column in self._columns}
        table = read_block(data, list(types), types, ["", *NULL_WORDS])
        if table.num_rows != len(first):
            return None, nothing, first.tolist()
        table, good = with_members(table, self._columns)
        good &= self._plain_rows(table)
        plain = _with_types(table if good.all() else table.filter(pa.array(good)), self._columns)
        return plain, Run(first[good], last[good]), first[~good].tolist()

    def _plain_rows(self, table: pa.Table) -> np.ndarray:
        good = np.ones(table.num_rows, bool)
        for at, column in enumerate(self._columns):
            array = table.column(at).combine_chunks()
            if not column.nullable:
                good &= ~np.asarray(array.is_null())
            good &= plain_values(array, column)
        return good

    def _single_table(self) -> pa.Table | None:
        if not self._single:
            return None
        columns = zip(*(values for _, values in self._single), strict=True)
        arrays = [pa.array(values, column_type(column)) for values, column in zip(columns, self._columns, strict=True)]
        return pa.table(arrays, names=[column.name for column in self._columns])


def _in_order(
    plain: pa.Table | None, plain_lines: np.ndarray, rest: pa.Table | None, rest_lines: np.ndarray
) -> tuple[pa.Table | None, np.ndarray]:
    if plain is None or rest is None:
        return (rest, rest_lines) if plain is None else (plain, plain_lines)
    lines = np.concatenate((plain_lines, rest_lines))
    order = np.argsort(lines)
    return pa.concat_tables((plain, rest)).take(pa.array(order)), lines[order]


def _with_types(table: pa.Table, columns: tuple[Column, ...]) -> pa.Table:
    arrays = [table.column(at).cast(pa.string()).cast(column_type(column)) for at, column in enumerate(columns)]
    return pa.table(arrays, names=table.column_names)
