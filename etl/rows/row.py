"""One row at a time, rule by rule, in Python: for the rows that the vectorised paths do not recognise.

Quotes in an unusual place change no value and are no repair, on any path: around a number, none around a text, closed
before the field ends ("X"L is XL). Space that is left out around them is one.
"""

import re
from decimal import Decimal

from etl.rejects import RowError
from etl.rows.fields import Field, after_bare_fields, next_field, split_fields
from etl.tables import MAX_INT, Column, normalised

Value = int | str | bool | Decimal | None

_NULL_ELSEWHERE = ("nan", "none", "nil", "na", "n/a", "#n/a", "undefined", "(null)")
"""Null as other programs write it, in lower case: a feature's value may mean just this word, so it is none here."""
_DIGITS = re.compile(r"[0-9]+")
_PRICE = re.compile(r"(?:(?P<label>[A-Za-z_ ]+):)?\s*(?:\$\s*)?(?P<amount>[0-9]+(?:\.[0-9]+)?)")
_PRICE_DIGITS = 20
"""Before and after the point; what decimal128(38, 18) of the batches holds exactly."""
_PRICE_DECIMALS = 18
_BOOLEANS = {"0": False, "1": True, "false": False, "true": True}


def is_whole_record(line: bytes, columns: tuple[Column, ...], widths: frozenset[int]) -> bool:
    """Whether a line can stand alone: the right number of fields, and integers where ids belong (rule 7).

    Args:
        line: with or without its CR.
        columns: in the order of the file.
        widths: how many fields the rows of this file may have, none fewer than it has columns.
    """
    fields, count, is_open = split_fields(line.rstrip(b"\r"), len(columns))
    if is_open or count not in widths:
        return False
    return all(
        field.value.strip().isdigit()
        for field, column in zip(fields, columns, strict=True)
        if column.kind in ("id", "target")
    )


def clean_row(record: bytes, columns: tuple[Column, ...]) -> tuple[list[Value], bool]:
    """Reads a record.

    Args:
        record: the bytes between two line ends.
        columns: in the order of the file.

    Returns:
        the values in that order, and whether something was repaired.

    Raises:
        RowError: with the reason of the first rule that it breaks.
    """
    if b"\0" in record:
        raise RowError("nul_byte", "the row holds a NUL byte")
    try:
        record.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RowError("invalid_utf8", f"byte {error.start + 1} of the row is no UTF-8") from None
    record = record.removesuffix(b"\r")
    # A second CR before LF belongs to the line end too, unless it is text inside a quote that never closes.
    if record.endswith(b"\r") and not split_fields(record, len(columns)).open:
        record = record.rstrip(b"\r")
    if not record.strip(b", \t"):
        raise RowError("null_value", "the row is empty: only commas, as spreadsheets write a row without content")
    fields, count, is_open = split_fields(record, len(columns))
    if count < len(columns):
        raise RowError("missing_fields", f"{count} of {len(columns)} fields")
    if b"\r" in record:
        _refuse_lone_cr(record, columns)
    repaired = is_open or count > len(columns)
    values: list[Value] = []
    for field, column in zip(fields, columns, strict=True):
        value, changed = _clean_value(field, column)
        values.append(value)
        repaired = repaired or changed
    return values, repaired


def _refuse_lone_cr(record: bytes, columns: tuple[Column, ...]) -> None:
    """A CR outside of quotes may end a row: taken for text or space, it would hide the row after it.

    That row's fields count as extra ones, so those are looked at too.
    """
    at = place = 0
    while at <= len(record):
        begin, passed = after_bare_fields(record, at)
        end, field, _ = next_field(record, begin)
        bare_return = record.find(b"\r", at, begin)
        if bare_return >= 0 or b"\r" in field.bare:
            place += record.count(b",", at, bare_return) if bare_return >= 0 else passed
            column = columns[min(place, len(columns) - 1)]
            raise RowError(column.reason, f"a CR that ends no line stands in or after {column.name}")
        at, place = end + 1, place + passed + 1


def _clean_value(field: Field, column: Column) -> tuple[Value, bool]:
    text = field.value.decode("utf-8")
    changed = field.spaced
    if not field.quoted or column.kind != "text":
        trimmed = text.strip(" \t")
        changed = changed or trimmed != text
        text = trimmed
    # Quotes make a text of it. Around a number they say nothing: many programs write them around every field.
    is_null = text in ("", "\\N") or text.lower() == "null"
    if is_null and not (field.quoted and column.kind == "text"):
        if not column.nullable:
            reason = column.reason if field.quoted else "null_value"
            raise RowError(reason, f"{column.name} is {text or 'empty'}")
        return None, changed
    if column.kind == "text":
        return text, changed
    value, unlike = _number(text, column)
    return value, changed or unlike


def _number(text: str, column: Column) -> tuple[Value, bool]:
    """The value, and whether it was written in a way that only a repair reads."""
    if column.is_integer and _DIGITS.fullmatch(text):
        digits = text.lstrip("0") or "0"
        if len(digits) <= 10 and column.minimum <= int(digits) <= MAX_INT:
            return int(digits), digits != text
    elif column.kind == "boolean" and text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()], False
    elif column.kind == "price":
        match = _PRICE.fullmatch(text)
        if match and _is_own_label(match["label"], column) and _fits(match["amount"]):
            return Decimal(match["amount"]), match["amount"] != text
    hint = "; write null for no value" if text.lower() in _NULL_ELSEWHERE else ""
    raise RowError(column.reason, f"{column.name} is {text[:60]!r}{hint}")


def _is_own_label(label: str | None, column: Column) -> bool:
    return label is None or normalised(label) in column.headers


def _fits(amount: str) -> bool:
    whole, _, decimals = amount.partition(".")
    return len(whole.lstrip("0")) <= _PRICE_DIGITS and len(decimals) <= _PRICE_DECIMALS
