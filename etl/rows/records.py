"""Finds all records of a block at once, reading every quote strictly."""

from typing import NamedTuple

import numpy as np

from etl.rows.fields import MAX_ROW_BYTES
from etl.rows.layout import COMMA, NEWLINE, QUOTE, RETURN
from etl.rows.lines import Lines


class Run(NamedTuple):
    """Consecutive records: the line where each begins and the one where it ends."""

    first: np.ndarray
    last: np.ndarray


class Records:
    """The records of a block from any line on.

    Quotes open and close in turn, so the lines that end a record depend only on whether an even or odd number of quotes
    comes before it. Both cases are prepared. A record with a misplaced quote, a suspicious line, or another number of
    fields than `width` is a stop: it is read by itself and may end elsewhere.
    """

    def __init__(self, lines: Lines, width: int) -> None:
        quotes = np.flatnonzero(lines.buffer == QUOTE)
        self._quotes_before = np.searchsorted(quotes, lines.starts)
        commas = np.flatnonzero(lines.buffer == COMMA)
        inside = np.searchsorted(quotes, commas) & 1
        comma_lines = lines.of(commas)
        suspicious = np.flatnonzero(lines.suspicious() & ~lines.blank())
        opens, closes = can_open(lines.buffer, quotes), can_close(lines.buffer, quotes)
        is_odd = (np.arange(len(quotes)) & 1).astype(bool)
        ends_with = np.append(self._quotes_before[1:], len(quotes)) & 1
        self._sides = []
        for side in (0, 1):
            last = np.flatnonzero(ends_with == side)
            first = np.append(0, last[:-1] + 1)[: len(last)]
            total = np.bincount(comma_lines[inside == side], minlength=len(lines)).cumsum()
            fields = np.diff(total[last], prepend=0) + 1
            strange = lines.of(quotes[~np.where(is_odd == bool(side), opens, closes)])
            stops = np.unique(np.searchsorted(last, np.concatenate((suspicious, strange))))
            is_blank = (first == last) & lines.blank()[last]
            too_long = lines.ends[last] - lines.starts[first] > MAX_ROW_BYTES
            stops = np.union1d(stops, np.flatnonzero((fields != width) & ~is_blank | too_long))
            self._sides.append((Run(first, last), stops))

    def run_from(self, line: int) -> Run:
        """The records from a line that begins one, up to the next stop or the last record that ends in the block."""
        run, stops = self._sides[self._quotes_before[line] & 1]
        begin = int(run.last.searchsorted(line))
        at = int(stops.searchsorted(begin))
        end = int(stops[at]) if at < len(stops) else len(run.last)
        return Run(run.first[begin:end], run.last[begin:end])


def can_open(buffer: np.ndarray, quotes: np.ndarray) -> np.ndarray:
    """Which quotes begin a field, or follow another quote, with which they are a doubled one."""
    before = buffer.take(quotes - 1, mode="wrap")
    can = (before == COMMA) | (before == NEWLINE) | (before == QUOTE)
    if len(can) and quotes[0] == 0:
        can[0] = True
    return np.asarray(can)


def can_close(buffer: np.ndarray, quotes: np.ndarray) -> np.ndarray:
    """Which quotes end a field, or precede another quote."""
    after = buffer.take(quotes + 1, mode="clip")
    can = (after == COMMA) | (after == NEWLINE) | (after == QUOTE)
    returns = np.flatnonzero(after == RETURN)
    if len(returns):
        can[returns] = buffer.take(quotes[returns] + 2, mode="clip") == NEWLINE
    if len(can) and quotes[-1] >= len(buffer) - 2:
        can[-1] = buffer[quotes[-1] + 1 :].tobytes() in (b"", b"\r", b"\n", b",", b'"')
    return np.asarray(can)
