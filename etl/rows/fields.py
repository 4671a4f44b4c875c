"""A record split into its fields, quotes and all."""

from typing import NamedTuple

_SPACE = b" \t"


class Field(NamedTuple):
    """A field as split: without its quotes. `spaced` tells that space around the quotes was left out.

    `bare` is what stands in no quotes, or after the closing one.
    """

    value: bytes
    quoted: bool
    spaced: bool
    bare: bytes


class Split(NamedTuple):
    """`total` counts all fields, also those beyond the limit. `open` tells that the last quote is not closed."""

    fields: list[Field]
    total: int
    open: bool


def split_fields(line: bytes, limit: int) -> Split:
    """Splits a record as pyarrow's parser does, but lets space stand before a quote.

    A quote counts only at the start of a field; what follows the closing one belongs to the value.
    """
    fields: list[Field] = []
    count = at = 0
    is_open = False
    while True:
        end, field, is_open = next_field(line, at)
        count += 1
        if count <= limit:
            fields.append(field)
        if end >= len(line):
            return Split(fields, count, is_open)
        at = end + 1
        if count >= limit:
            at, passed = after_bare_fields(line, at)
            count += passed


def after_bare_fields(line: bytes, at: int) -> tuple[int, int]:
    """Where the field with the next quote begins, or the last one, and how many fields stand before it.

    A line may hold a million fields that nobody wants: they are counted, not split.
    """
    quote = line.find(b'"', at)
    quote = len(line) if quote < 0 else quote
    return max(at, line.rfind(b",", at, quote) + 1), line.count(b",", at, quote)


def next_field(line: bytes, at: int) -> tuple[int, Field, bool]:
    """Where the field that begins at `at` ends, the field, and whether its quote is open."""
    start = at
    while start < len(line) and line[start] in b" \t":
        start += 1
    if line[start : start + 1] != b'"':
        end = line.find(b",", at)
        end = len(line) if end < 0 else end
        value = line[at:end]
        return end, Field(value, False, False, value), False
    parts: list[bytes] = []
    begin = start + 1
    while True:
        quote = line.find(b'"', begin)
        if quote < 0:
            parts.append(line[begin:])
            return len(line), Field(b'"'.join(parts), True, False, b""), True
        parts.append(line[begin:quote])
        if line[quote + 1 : quote + 2] != b'"':
            break
        begin = quote + 2
    end = line.find(b",", quote + 1)
    end = len(line) if end < 0 else end
    tail = line[quote + 1 : end]
    only_space = not tail.strip(_SPACE)
    value = b'"'.join(parts) + (b"" if only_space else tail)
    return end, Field(value, True, start > at or (only_space and bool(tail)), tail), False
