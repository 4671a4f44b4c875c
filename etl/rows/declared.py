"""Values of declared fields as members of a JSON object: the same text for each path that reads a row."""

import re
from datetime import date
from json.encoder import encode_basestring
from typing import cast

from etl.rejects import Rule
from etl.tables import Field, FieldType

MAX_FIELDS_BYTES = 16 << 10
"""The fields of a row, as JSON."""
_NUMBER = re.compile(r"(-?)0*(?P<whole>[0-9]{1,20})(?:\.(?P<places>[0-9]{1,18}))?")
"""Zeros before a number are a repair; up to 18 decimals, as prices have."""
_BOOLEANS = {"0": "false", "1": "true", "false": "false", "true": "true"}
_DATE = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?)?"
)
_FORMS = {
    "number": "a decimal number such as 12.5",
    "boolean": "0, 1, true or false",
    "date": "a date such as 2026-01-31 or 2026-01-31T09:30:00Z",
}


def member(text: str, field: Field) -> tuple[str | None, Rule | None]:
    """The member of a value that is not empty, and the repair that it needed; None for a list of nothing.

    Raises:
        ValueError: when the value is not of the field's type.
    """
    value: str | None = None
    rule: Rule | None = None
    if field.type == "text":
        value = encode_basestring(text)
    elif field.type == "list":
        parts = [part.strip(" \t\r\n") for part in text.split(cast(str, field.separator))]
        listed = ",".join(encode_basestring(part) for part in dict.fromkeys(parts) if part)
        value = f"[{listed}]" if listed else None
    elif field.type == "number":
        value, rule = _number(text)
    elif field.type == "boolean":
        value = _BOOLEANS.get(text.lower())
    elif _is_date(text):
        value = f'"{text}"'
    if value is None:
        if field.type == "list":
            return None, None
        raise ValueError(f"is {text[:60]!r}, not {_FORMS[field.type]}")
    return f'"{field.name}":{value}', rule


def is_of_type(text: str, kind: FieldType) -> bool:
    """A value could be of this type, other than a list."""
    try:
        member(text, Field("", kind, "", None, False, None, False, False, False, "reject"))
    except ValueError:
        return False
    return True


def object_bytes(members: list[str]) -> int:
    """The bytes of the object that these members make."""
    return sum(len(each.encode()) + 1 for each in members) + 1


def _number(text: str) -> tuple[str | None, Rule | None]:
    """As PostgreSQL prints a numeric, without zeros at its end."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None, None
    whole, places = found["whole"], (found["places"] or "").rstrip("0")
    value = f"{whole}.{places}" if places else whole
    rule: Rule | None = "leading_zeros" if len(found[1]) + len(whole) < len(text.partition(".")[0]) else None
    return (value if value == "0" else f"{found[1]}{value}"), rule


def _is_date(text: str) -> bool:
    found = _DATE.fullmatch(text)
    if found is None:
        return False
    try:
        date.fromisoformat(found["day"])
    except ValueError:
        return False
    return True
