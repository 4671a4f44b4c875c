"""Where the lines of a block are, and which of them cannot be judged alone."""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from etl.rows.fields import split_fields
from etl.rows.layout import MAX_ROW_BYTES, NEWLINE, QUOTE, RETURN, Layout
from etl.rows.row import is_whole_record

_MAX_ROW_LINES = 1000
"""A field that runs over more lines was never closed; also bounds the time spent on looking."""
_End = Literal["record", "quote", "stray quote"] | None
"""What a line does to a field that is open before it: it is a record by itself, closes the field, or has a quote where
the field cannot end, as the next row has when its own faults keep it from being a whole record."""


class Lines:
    """The lines of a block, counted from 0; `ends` excludes the line end. `most`: only so many that are not empty."""

    def __init__(self, data: bytes, most: int | None = None) -> None:
        buffer = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(buffer == NEWLINE)
        if most and len(ends) > most:
            filled = np.flatnonzero(np.diff(ends, prepend=-1) > 1)
            if len(filled) > most:
                ends = ends[: filled[most]]
                data = data[: ends[-1] + 1]
                buffer = buffer[: len(data)]
        self.data = data
        if not data.endswith(b"\n"):
            ends = np.append(ends, len(data))
        self.ends = ends
        self.starts = np.concatenate((np.zeros(1, ends.dtype), ends[:-1] + 1))
        self.quotes = np.add.reduceat((buffer == QUOTE).view(np.uint8), self.starts, dtype=np.int32)
        self._buffer = buffer

    def __len__(self) -> int:
        return len(self.ends)

    def text(self, first: int, last: int | None = None) -> bytes:
        """The bytes of a line, or from one line to another, without the last line end."""
        return self.data[self.starts[first] : self.ends[first if last is None else last]]

    def blank(self) -> np.ndarray:
        """Lines with nothing in them, or only the CRs of a line end: no rows."""
        blank: np.ndarray = self.ends == self.starts
        for line in map(int, np.flatnonzero(self._buffer[np.minimum(self.starts, len(self.data) - 1)] == RETURN)):
            blank[line] = not self.text(line).strip(b"\r")
        return blank

    def suspicious(self) -> np.ndarray:
        """Lines with an odd number of quotes, a NUL, invalid UTF-8, or a CR that is not their end."""
        suspicious = (self.quotes & 1).astype(bool)
        if b"\0" in self.data:
            suspicious[self._lines_of(np.flatnonzero(self._buffer == 0))] = True
        if b"\r" in self.data:
            returns = np.flatnonzero(self._buffer == RETURN)
            lines = self._lines_of(returns)
            suspicious[lines[returns + 1 != self.ends[lines]]] = True
        suspicious[list(self._not_utf8())] = True
        return suspicious

    def _not_utf8(self) -> Iterator[int]:
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            first = int(np.searchsorted(self.ends, error.start))
        else:
            return
        # From here on singly: each error holds a copy of all that was decoded.
        for line, text in enumerate(self.data[self.starts[first] :].split(b"\n"), first):
            try:
                text.decode("utf-8")
            except UnicodeDecodeError:
                yield line

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
    """Finds out how far the record of each marked line reaches (rule 7 of etl/README.md).

    Args:
        lines: of the block.
        marked: lines to look at, ascending.
        layout: of the file.
        more_follows: whether the file goes on after the block.

    Yields:
        first and last line of a record; last is None when only the next block can tell.
    """
    done, end = -1, 0
    ends_by: _End = None
    for first in (int(line) for line in marked):
        if first <= done:
            continue
        last: int | None = first
        if split_fields(lines.text(first), len(layout.columns)).open:
            # Where an open field ends does not depend on where it began: no line is looked at for two fields.
            if end <= first or ends_by is None:
                end, ends_by = _end_of_open_field(lines, first, max(end, first + 1), layout)
            last = _last_line(lines, first, end, ends_by, more_follows)
        yield first, last
        if last is None:
            return
        done = last


def _end_of_open_field(lines: Lines, first: int, line: int, layout: Layout) -> tuple[int, _End]:
    """The first line from `line` on that ends a field, and how; one that is too far away and None otherwise."""
    while line < len(lines) and not _is_too_far(lines, first, line - 1):
        text = lines.text(line)
        if is_whole_record(text, layout.columns, layout.widths):
            return line, "record"
        if lines.quotes[line] and (end := _quote_of_open_field(text)):
            return line, end
        line += 1
    return line, None


def _quote_of_open_field(text: bytes) -> _End:
    # What stands before the line is inside quotes, as behind one quote.
    fields, _, is_open = split_fields(b'"' + text, 1)
    if fields[0].bare.strip(b" \t\r") and _begins_field(text):
        return "stray quote"
    return None if is_open else "quote"


def _begins_field(text: bytes) -> bool:
    """Whether the first quote of a line may begin a field of a row. In running text a quote stands anywhere."""
    before = text[: text.find(b'"')].strip(b" \t")
    if before:
        return before.endswith(b",")
    fields, total, _ = split_fields(text, 1)
    return total > 1 and not fields[0].bare.strip(b" \t\r")


def _last_line(lines: Lines, first: int, end: int, ends_by: _End, more_follows: bool) -> int | None:
    """The last line of a record that begins with an open field, which ends at `end` if it is not too far away."""
    if _is_too_far(lines, first, end - 1):
        return first  # no field is that long: the quote is at fault, and the following lines stand alone
    if end == len(lines):
        return None if more_follows else first
    if ends_by == "record":
        while end - 1 > first and not lines.text(end - 1).removesuffix(b"\r"):
            end -= 1  # blank lines between two rows belong to neither
        return end - 1
    return end if ends_by == "quote" and not _is_too_far(lines, first, end) else first


def _is_too_far(lines: Lines, first: int, last: int) -> bool:
    return last - first >= _MAX_ROW_LINES or bool(lines.ends[last] - lines.starts[first] > MAX_ROW_BYTES)
