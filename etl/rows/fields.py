"""Splits a record into fields, with quotes read strictly or as a writer of bad CSV may have meant them."""

import re
import sys
from functools import cache
from typing import Literal, NamedTuple

MAX_ROW_BYTES = 1 << 20
"""The longest row, and how far a quoted field is followed over line ends."""

_LINE_END = rb"\r*+(?:\n|\Z)"
_FIELD_END = rb"[ \t]*+(?:,|" + _LINE_END + rb")"
_OPENING = re.compile(rb'[ \t]*+"')
_CLOSING = re.compile(rb'"(?=' + _FIELD_END + rb")[ \t]*+")
_LABEL = re.compile(rb'[ \t]*+"[A-Za-z_ ]+":[^",\r\n]*+(?=,|' + _LINE_END + rb")")
"""A member of a JSON object, which product exports hold as a price."""
_BARE = re.compile(rb"[^,\n]*+")
_MAX_COPIES = 16
_EMPTY_FIELDS = re.compile(rb"(?:[ \t]*+,)*+")


Problem = Literal["", "open", "text", "surplus"]


# Before Python 3.11.5 `(?:a|b)*+` stops too early (https://github.com/python/cpython/issues/106052), and Debian 12 has
# 3.11.2. An atomic group matches the same, but a line of a megabyte full of quotes takes 170 MB in it instead of none.
_MANY_OF, _END = (rb"(?:", rb")*+") if sys.hexversion >= 0x030B0500 else (rb"(?>(?:", rb")*)")


class Quotes(NamedTuple):
    """How to read a quoted field: `body` matches what is inside, up to the quote that closes it."""

    body: re.Pattern[bytes]
    escaped: re.Pattern[bytes]
    """A match means a quote in the body."""


STRICT = Quotes(re.compile(rb'[^"]*+(?:""[^"]*+)*+'), re.compile(rb'""'))
"""As in Python's csv and RFC 4180: quotes are doubled, and the first single one closes the field."""
ESCAPED = Quotes(re.compile(_MANY_OF + rb'[^"\\]++|\\"|\\|""' + _END), re.compile(rb'""|\\"'))
r"""As in MySQL and JSON: \" is a quote too."""

_LOOSE = {
    (escapes, doubles): Quotes(
        re.compile(
            _MANY_OF
            + (rb'[^"\\]++|\\"|\\' if escapes else rb'[^"]++')
            + (rb'|""' if doubles else rb'|""(?!' + _FIELD_END + rb")")
            + rb'|"(?!'
            + _FIELD_END
            + rb")"
            + _END
        ),
        ESCAPED.escaped,
    )
    for escapes in (True, False)
    for doubles in (True, False)
}


def loose_quotes(line: bytes) -> list[Quotes]:
    r"""The ways to read a line whose inner quotes are not doubled: a quote closes only where a field can end.

    They differ in whether \" and "" may close a field there (`C:\",` and `30"",`).
    """
    escapes = (True, False) if b'\\"' in line else (True,)
    doubles = (True, False) if b'""' in line else (True,)
    return [_LOOSE[first, second] for second in doubles for first in escapes]


class Field(NamedTuple):
    """A field as written (`raw`) and as read. `is_strict`: its quotes are read as Python's csv reads them."""

    raw: bytes
    value: bytes
    quoted: bool
    is_strict: bool


class Split(NamedTuple):
    """The first fields of a record, at most as many as asked for.

    `problem`: a quote is open at the end of the data, a closing quote has text after it, or fields that may not be
    dropped follow. `end`: where the record ends (its line end is not part of it), or where the problem is. `surplus`:
    the last field and what was dropped after it.
    """

    fields: list[Field]
    end: int
    problem: Problem = ""
    surplus: bytes = b""


def split_fields(data: bytes, at: int, width: int, quotes: Quotes = STRICT) -> Split:
    """Splits the record that begins at `at` into at most `width` fields.

    Fields after that are dropped when each is empty or repeats the last one. They may not run over lines, which bounds
    the work: no line is read for more than `width` fields.
    """
    if whole := _record(quotes, width).match(data, at):
        return Split(_fields(whole.groups(), quotes), whole.end())
    if broken := _broken_record(quotes, width).match(data, at):
        fields = _fields(broken.groups(), quotes)
        problem: Problem = "open" if broken.end() == len(data) else "text"
        return Split([*fields[:-1], fields[-1]._replace(is_strict=False)], broken.end(), problem)
    fields = []
    while True:
        begin = at
        field, at, problem = _next_field(data, at, quotes)
        fields.append(field)
        if problem or data[at : at + 1] != b",":
            return Split(fields, at, problem)
        at += 1
        if len(fields) == width:
            end = _end_of_copies(data, at, field.value.strip(b" \t"), quotes)
            return Split(fields, at, "surplus") if end is None else Split(fields, end, "", data[begin:end])


@cache
def _record(quotes: Quotes, width: int) -> re.Pattern[bytes]:
    """Matches most records at once: each field with its quotes, and the text inside them."""
    body = quotes.body.pattern
    field = rb'([ \t]*+"(' + body + rb')"[ \t]*+|(?![ \t]*+")[^,\r\n]*+)'
    return re.compile(b",".join([field] * width) + rb"(?=" + _LINE_END + rb")")


@cache
def _broken_record(quotes: Quotes, width: int) -> re.Pattern[bytes]:
    """The same with a last field that does not close: its quote is open, or text follows the closing one."""
    whole = _record(quotes, width - 1).pattern
    last = rb"(?!" + _LABEL.pattern + rb')([ \t]*+"(' + quotes.body.pattern + rb"))(?!" + _CLOSING.pattern + rb")"
    return re.compile(whole[: whole.rindex(b"(?=")] + b"," + last)


def _fields(groups: tuple[bytes | None, ...], quotes: Quotes) -> list[Field]:
    return [_field(groups[n] or b"", groups[n + 1], quotes) for n in range(0, len(groups), 2)]


def _field(raw: bytes, text: bytes | None, quotes: Quotes) -> Field:
    if text is None:
        return Field(raw, raw, False, True)
    if b'"' not in text:
        return Field(raw, text, True, True)
    value = quotes.escaped.sub(b'"', text)
    is_strict = quotes is STRICT or (STRICT.body.fullmatch(text) is not None and text.replace(b'""', b'"') == value)
    return Field(raw, value, True, is_strict)


def _next_field(data: bytes, at: int, quotes: Quotes) -> tuple[Field, int, Problem]:
    """A field, where it ends, and the problem with its quote."""
    opening = _OPENING.match(data, at)
    if opening is None:
        end = _BARE.match(data, at).end()  # type: ignore[union-attr]
        raw = data[at:end] if data[end : end + 1] == b"," else data[at:end].rstrip(b"\r")
        return Field(raw, raw, False, True), at + len(raw), ""
    end = quotes.body.match(data, opening.end()).end()  # type: ignore[union-attr]
    text = data[opening.end() : end]
    closing = _CLOSING.match(data, end)
    if closing:
        return _field(data[at : closing.end()], text, quotes), closing.end(), ""
    label = _LABEL.match(data, at)
    if label:
        return Field(label[0], label[0], False, False), label.end(), ""
    field = _field(data[at:end], text, quotes)._replace(is_strict=False)
    return field, end, "open" if end == len(data) else "text"


def _end_of_copies(data: bytes, at: int, value: bytes, quotes: Quotes) -> int | None:
    """The end of the record, if the fields from `at` on are empty or have this value.

    An export does not write more than a few copies, and a line with a million would take seconds.
    """
    for _ in range(_MAX_COPIES):
        at = _EMPTY_FIELDS.match(data, at).end()  # type: ignore[union-attr]
        field, at, problem = _next_field(data, at, quotes)
        if problem or b"\n" in field.raw or field.value.strip(b" \t") not in (b"", value):
            return None
        if data[at : at + 1] != b",":
            return at
        at += 1
    return None
