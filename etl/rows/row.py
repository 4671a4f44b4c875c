"""Makes values of the fields of a record, rule by rule, for rows that the vectorised paths do not recognise."""

import re
from decimal import Decimal
from typing import NamedTuple

from etl.rejects import RowError, Rule
from etl.rows.declared import MAX_FIELDS_BYTES, member, object_bytes
from etl.rows.fields import Field
from etl.rows.record import Record
from etl.tables import MAX_INT, Column, normalised
from etl.tables import Field as Declared

Value = int | str | bool | Decimal | None

_NULL_ELSEWHERE = ("nan", "none", "nil", "na", "n/a", "#n/a", "undefined", "(null)")
"""Null as other programs write it, in lower case. A feature's value may mean just this word, so it is not null here."""
_DIGITS = re.compile(r"[0-9]+")
_PRICE = re.compile(r'(?:"?(?P<label>[A-Za-z_ ]+)"?:)?\s*(?:\$\s*)?(?P<amount>[0-9]+(?:\.[0-9]+)?)')
_PRICE_DIGITS = 20
"""With the decimals below, what decimal128(38, 18) of the batches holds exactly."""
_PRICE_DECIMALS = 18
_BOOLEANS = {"0": False, "1": True, "false": False, "true": True}


class Mend(NamedTuple):
    """A repair of some fields of a row, as written and as loaded."""

    rule: Rule
    columns: list[str]
    before: list[bytes]
    after: list[bytes]


def clean_record(record: Record, raw: bytes, columns: tuple[Column, ...]) -> tuple[list[Value], list[Mend]]:
    """Cleans a record whose bytes are `raw`; returns the values in the order of the file, and the repairs.

    Raises:
        RowError: with the reason of the first rule that the record breaks.
    """
    if b"\0" in raw:
        raise RowError("nul_byte", "the row holds a NUL byte")
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RowError("invalid_utf8", f"byte {error.start + 1} of the row is not UTF-8") from None
    if not raw.strip(b", \t\r"):
        raise RowError("null_value", "the row is empty: only commas, as spreadsheets write a row without content")
    if record.fields is None:
        assert record.error is not None
        raise record.error
    mends: dict[str, Mend] = {}
    values: list[Value] = []
    for field, column in zip(record.fields.fields, columns, strict=False):
        value, rule = _clean_field(record, field, column)
        values.append(value)
        if rule:
            _note(mends, rule, column.name, field.raw, value)
    if record.fields.surplus:
        kept = record.fields.fields[-1].value.decode()
        _note(
            mends,
            "surplus_fields",
            "" if len(record.fields.fields) > len(columns) else column.name,
            record.fields.surplus,
            kept,
        )
    _check_size(values, columns)
    return values, list(mends.values())


def _clean_field(record: Record, field: Field, column: Column) -> tuple[Value, Rule | None]:
    """The value, and the rule of the repair that it or its quotes needed."""
    if column.kind == "ignored":
        return None, None
    if not field.quoted and b"\r" in field.value:
        raise RowError(column.reason, f"a CR that does not end a line is in {column.name}")
    value, rule = _clean_value(field, column)
    if not field.is_strict and rule != "price_form":
        rule = _rule_of_quotes(record, column)
    return value, rule


def _check_size(values: list[Value], columns: tuple[Column, ...]) -> None:
    members = [str(value) for value, column in zip(values, columns, strict=True) if column.field and value is not None]
    if members and (size := object_bytes(members)) > MAX_FIELDS_BYTES:
        raise RowError("bad_field", f"the fields of the row have {size} bytes, more than {MAX_FIELDS_BYTES}")


def _rule_of_quotes(record: Record, column: Column) -> Rule:
    """The repair that a field's quotes needed. A label (`"default_price": 49`) belongs only to a price."""
    if not record.rule:
        raise RowError("bad_quotes", f"text follows the quote that closes {column.name}")
    return record.rule


def _note(mends: dict[str, Mend], rule: Rule, column: str, raw: bytes, value: Value) -> None:
    mend = mends.setdefault(rule, Mend(rule, [], [], []))
    mend.columns.append(column)
    mend.before.append(raw)
    mend.after.append(b"null" if value is None else str(value).encode())


def _clean_value(field: Field, column: Column) -> tuple[Value, Rule | None]:
    """The value, and the rule of the repair that it needed."""
    text = field.value.decode("utf-8")
    is_spaced = field.quoted and field.is_strict and field.raw[:1] + field.raw[-1:] != b'""'
    if not field.quoted or not column.is_text:
        trimmed = text.strip(" \t")
        is_spaced = is_spaced or trimmed != text
        text = trimmed
    rule: Rule | None = "space" if is_spaced else None
    # Quotes make it a text. Around a number they mean nothing: many programs write them around every field.
    is_null = text in ("", "\\N") or text.lower() == "null"
    if is_null and not (field.quoted and column.is_text):
        if not column.nullable:
            reason = column.reason if field.quoted else "null_value"
            raise RowError(reason, f"{column.name} is {text or 'empty'}")
        return None, rule
    if column.kind == "text":
        return text, rule
    value, own_rule = _number(text, column) if column.field is None else _member(text, column.name, column.field)
    return value, own_rule or rule


def _member(text: str, name: str, field: Declared) -> tuple[str | None, Rule | None]:
    """The member that a text makes of a field."""
    try:
        return member(text, field) if text else (None, None)
    except ValueError as error:
        if field.invalid == "drop":
            return None, "dropped_value"
        raise RowError("bad_field", f"{name} {error}{_hint(text)}") from None


def _number(text: str, column: Column) -> tuple[Value, Rule | None]:
    """The value, and the rule of the repair that a way to write it needs."""
    if column.is_integer and _DIGITS.fullmatch(text):
        digits = text.lstrip("0") or "0"
        if len(digits) <= 10 and column.minimum <= int(digits) <= MAX_INT:
            return int(digits), "leading_zeros" if digits != text else None
    elif column.kind == "boolean" and text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()], None
    elif column.kind == "price":
        match = _PRICE.fullmatch(text)
        if match and _is_own_label(match["label"], column) and _fits(match["amount"]):
            return Decimal(match["amount"]), "price_form" if match["amount"] != text else None
    raise RowError(column.reason, f"{column.name} is {text[:60]!r}{_hint(text)}")


def _hint(text: str) -> str:
    return "; write null for no value" if text.lower() in _NULL_ELSEWHERE else ""


def _is_own_label(label: str | None, column: Column) -> bool:
    return label is None or normalised(label) in column.headers


def _fits(amount: str) -> bool:
    whole, _, decimals = amount.partition(".")
    return len(whole.lstrip("0")) <= _PRICE_DIGITS and len(decimals) <= _PRICE_DECIMALS
