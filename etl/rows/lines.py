"""Where the lines of a block are, and which of them cannot be judged alone."""

from collections.abc import Iterator

import numpy as np

from etl.rows.layout import MAX_ROW_BYTES, Layout
from etl.rows.row import is_whole_record, split_fields

_MAX_ROW_LINES = 1000
"""A field that runs over more lines was never closed; also bounds the time spent on looking."""


class Lines:
    """The lines of a block, counted from 0; `ends` excludes the line end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        buffer = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(buffer == 10)
        if not data.endswith(b"\n"):
            ends = np.append(ends, len(data))
        self.ends = ends
        self.starts = np.concatenate((np.zeros(1, ends.dtype), ends[:-1] + 1))
        self.quotes = np.add.reduceat((buffer == 34).view(np.uint8), self.starts, dtype=np.int32)
        self._buffer = buffer

    def __len__(self) -> int:
        return len(self.ends)

    def text(self, first: int, last: int | None = None) -> bytes:
        """The bytes of a line, or from one line to another, without the last line end."""
        return self.data[self.starts[first] : self.ends[first if last is None else last]]

    def blank(self) -> np.ndarray:
        """Lines with nothing in them: no rows."""
        length = self.ends - self.starts
        only_cr = (length == 1) & (self._buffer[np.minimum(self.starts, len(self.data) - 1)] == 13)
        blank: np.ndarray = (length == 0) | only_cr
        return blank

    def odd(self) -> np.ndarray:
        """Lines with an odd number of quotes, a NUL, invalid UTF-8, or a CR that is not their end."""
        odd = (self.quotes & 1).astype(bool)
        if b"\0" in self.data:
            odd[self._lines_of(np.flatnonzero(self._buffer == 0))] = True
        if b"\r" in self.data:
            returns = np.flatnonzero(self._buffer == 13)
            lines = self._lines_of(returns)
            odd[lines[returns + 1 != self.ends[lines]]] = True
        odd[list(self._not_utf8())] = True
        return odd

    def _not_utf8(self) -> Iterator[int]:
        begin = 0
        while begin < len(self.data):
            try:
                str(memoryview(self.data)[begin:], "utf-8")
            except UnicodeDecodeError as error:
                line = int(np.searchsorted(self.ends, begin + error.start))
                yield line
                begin = int(self.ends[line]) + 1
            else:
                return

    def _lines_of(self, positions: np.ndarray) -> np.ndarray:
        return np.searchsorted(self.ends, positions)

    def join(self, keep: np.ndarray) -> bytes:
        """The kept lines with their line ends."""
        if keep.all():
            return self.data
        steps = np.flatnonzero(np.diff(np.concatenate(([False], keep, [False])).astype(np.int8)))
        runs = steps.reshape(-1, 2)
        return b"".join(self.data[self.starts[a] : self.ends[b - 1] + 1] for a, b in runs)


def join_records(
    lines: Lines, marked: np.ndarray, layout: Layout, more_follows: bool
) -> Iterator[tuple[int, int | None]]:
    """Finds out how far the record of each marked line reaches (rule 7 of the data rules).

    Args:
        lines: of the block.
        marked: lines to look at, ascending.
        layout: of the file.
        more_follows: whether the file goes on after the block.

    Yields:
        first and last line of a record; last is None when only the next block can tell.
    """
    done, end = -1, 0
    for first in (int(line) for line in marked):
        if first <= done:
            continue
        last: int | None = first
        if split_fields(lines.text(first), len(layout.columns)).open:
            # Where an open field ends does not depend on where it began: no line is looked at for two fields.
            end = _end_of_open_field(lines, first, max(end, first + 1), layout)
            last = _last_line(lines, first, end, layout, more_follows)
        yield first, last
        if last is None:
            return
        done = last


def _end_of_open_field(lines: Lines, first: int, line: int, layout: Layout) -> int:
    """The first line from `line` on that is a whole record or closes a field; one that is too far away otherwise."""
    while line < len(lines) and not _is_too_far(lines, first, line - 1):
        text = lines.text(line)
        # What stands before the line is inside quotes, as behind one quote.
        closes = lines.quotes[line] and not split_fields(b'"' + text, 1).open
        if closes or is_whole_record(text, layout.columns, layout.width):
            break
        line += 1
    return line


def _last_line(lines: Lines, first: int, end: int, layout: Layout, more_follows: bool) -> int | None:
    """The last line of a record that begins with an open field, which ends at `end` if it is not too far away."""
    if _is_too_far(lines, first, end - 1):
        return first  # no field is that long: the quote is at fault, and the following lines stand alone
    if end == len(lines):
        return None if more_follows else first
    if is_whole_record(lines.text(end), layout.columns, layout.width):
        return end - 1
    return first if _is_too_far(lines, first, end) else end


def _is_too_far(lines: Lines, first: int, last: int) -> bool:
    return last - first > _MAX_ROW_LINES or bool(lines.ends[last] - lines.starts[first] > MAX_ROW_BYTES)
