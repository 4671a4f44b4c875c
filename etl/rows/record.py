"""Finds the end of a record, and the reading of its quotes that gives the right number of fields (rules 6 and 7)."""

from functools import lru_cache
from typing import Literal, NamedTuple

from etl.rejects import RowError, Rule
from etl.rows.fields import ESCAPED, MAX_ROW_BYTES, Split, loose_quotes, split_fields
from etl.tables import Column

After = Literal["more", "nothing", "long row"]
"""The data is followed by more of the file, its end, or a row that is too long to read."""


class Record(NamedTuple):
    """A record with as many fields as its file has columns, or the `error` that rejects it.

    `end` is that of its last line, without the line end; `rule` the repair that a quote needed.
    """

    end: int
    fields: Split | None
    rule: Rule | None = None
    error: RowError | None = None


def read_record(data: bytes, start: int, columns: tuple[Column, ...], width: int, after: After) -> Record | None:
    """Reads the record that begins at `start`, the beginning of a line in `data`, which `after` follows.

    `columns` are in the order of the file, whose rows have `width` fields. None: it may continue after the data.
    """
    line_end = _line_end(data, start)
    line = data[start:line_end]
    if b'"' not in line and line.count(b",") < width - 1:  # the fast way through a file of short lines
        return Record(line_end, None, error=_wrong_width(line.count(b",") + 1, line, columns, width))
    strict = _strict(data, start, width)
    if _is_record(strict, start, width):
        return Record(strict.end, strict)
    if _goes_on(data, strict, start, after):
        return None
    # Only text before the place where the strict reading failed can have misled it.
    escaped = split_fields(data, start, width, ESCAPED) if data.find(b'\\"', start, strict.end + 1) >= 0 else strict
    if _is_record(escaped, start, width):
        return Record(escaped.end, escaped, "escaped_quotes")
    if _goes_on(data, escaped, start, after):
        return None
    if strict.problem in ("", "surplus") and strict.end <= line_end:
        count = len(strict.fields) + (strict.problem == "surplus")
        return Record(line_end, None, error=_wrong_width(count, line, columns, width))
    return _closed_at_line_end(data, start, columns, width, after)


def is_whole_record(line: bytes, columns: tuple[Column, ...], width: int) -> bool:
    """A line by itself can be a row: the right number of fields, and integers as ids.

    The quotes inside a field need not be doubled, and the last one may be missing.
    """
    return _is_row(split_fields(line, 0, width), 0, columns, width) or _is_mended_row(line, columns, width)


def _closed_at_line_end(
    data: bytes, start: int, columns: tuple[Column, ...], width: int, after: After
) -> Record | None:
    """The record that is its first line alone. Only the next line shows that the text does not continue there."""
    end = _line_end(data, start)
    line = data[start:end].rstrip(b"\r")
    mended = _mended(line, width)
    if mended is None:
        return Record(end, None, error=_bad_quotes(line, columns, width))
    follows = _row_follows(data, end, columns, width, after)
    if follows is None:
        return None
    if not follows:
        detail = "a quote does not close its field, and the next line is not a row: its text may continue there"
        return Record(end, None, error=RowError("bad_quotes", detail))
    return Record(end, *mended)


@lru_cache(maxsize=2)
def _strict(data: bytes, start: int, width: int) -> Split:
    """Cached, since the record before looks at this one too."""
    return split_fields(data, start, width)


@lru_cache(maxsize=2)
def _mended(line: bytes, width: int) -> tuple[Split, Rule] | None:
    """The reading of a line with the right number of fields: preferably closed, else with an open quote."""
    readings = [split_fields(line, 0, width, quotes) for quotes in loose_quotes(line)]
    for split in readings:
        if not split.problem and len(split.fields) == width:
            return split, "inner_quotes"
    for split in readings:
        if split.problem == "open" and len(split.fields) == width:
            return split, "open_quote"
    return None


def _row_follows(data: bytes, end: int, columns: tuple[Column, ...], width: int, after: After) -> bool | None:
    """A row begins on the next line that is not blank, or nothing follows."""
    at = end
    while at < len(data):
        at += 1
        end = _line_end(data, at)
        if data[at:end].strip(b"\r"):
            strict = _strict(data, at, width)
            if _goes_on(data, strict, at, after):
                return None
            return _is_row(strict, at, columns, width) or _is_mended_row(data[at:end], columns, width)
        at = end
    return None if after == "more" else after == "nothing"


def _is_mended_row(line: bytes, columns: tuple[Column, ...], width: int) -> bool:
    mended = _mended(line.rstrip(b"\r"), width)
    return mended is not None and _has_ids(mended[0], columns)


def _is_record(split: Split, start: int, width: int) -> bool:
    return not split.problem and len(split.fields) == width and split.end - start <= MAX_ROW_BYTES


def _is_row(split: Split, start: int, columns: tuple[Column, ...], width: int) -> bool:
    return _is_record(split, start, width) and _has_ids(split, columns)


def _has_ids(split: Split, columns: tuple[Column, ...]) -> bool:
    kinds = zip(split.fields, columns, strict=False)
    return all(field.value.strip().isdigit() for field, column in kinds if column.kind in ("id", "target"))


def _goes_on(data: bytes, split: Split, start: int, after: After) -> bool:
    """A quote that is open at the end of the data may close in what follows."""
    return split.problem == "open" and after == "more" and len(data) - start <= MAX_ROW_BYTES


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _wrong_width(count: int, line: bytes, columns: tuple[Column, ...], width: int, cause: str = "") -> RowError:
    if b"\r" in line.rstrip(b"\r"):
        column = columns[min(count, len(columns)) - 1]
        return RowError(column.reason, f"a CR that does not end a line is in or after {column.name}")
    if count < width:
        return RowError("missing_fields", f"{count} of {width} fields{cause}")
    return RowError("surplus_fields", f"more than {width} fields: a text that holds a comma needs quotes")


def _bad_quotes(line: bytes, columns: tuple[Column, ...], width: int) -> RowError:
    """Says why no reading of a line with a misplaced quote has the right number of fields."""
    split = split_fields(line, 0, width)
    place = len(split.fields)
    if split.problem == "open" or b"\r" in line:
        return _wrong_width(place, line, columns, width, ", and the quote of the last one is not closed")
    return RowError("bad_quotes", f"text follows the quote that closes field {place}: double a quote in a text")
