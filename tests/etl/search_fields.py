"""Words, values and scales that the search must have of declared fields, without code of the loader."""

import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

Key = tuple[Any, str]
"""The place of a value, and the value as a scale has it."""


class Declared(NamedTuple):
    """A field, the texts that each product has of it come from these rows."""

    name: str
    table: str
    members: dict[str, Any]

    @property
    def has_scale(self) -> bool:
        is_ordered = self.members["type"] in ("number", "date")
        return is_ordered and (self.members.get("facet", False) or self.members.get("sort", False))

    @property
    def has_sets(self) -> bool:
        return self.members.get("facet", False) and self.members["type"] not in ("number", "date")

    def texts(self, rows: list[dict[str, str]]) -> list[str]:
        found = [row[self.members.get("column", self.name)].strip() for row in rows]
        found = [text for text in found if text not in ("", "\\N")]
        match self.members["type"]:
            case "list":
                parts = [part.strip() for text in found for part in text.split(self.members.get("separator", "|"))]
                return [part for part in parts if part]
            case "boolean":
                return [{"0": "false", "1": "true"}.get(text, text).lower() for text in found]
            case _:
                return found

    def key(self, text: str) -> Key:
        if self.members["type"] == "number":
            number = Decimal(text)
            plain = f"{number:f}"
            return number, plain.rstrip("0").rstrip(".") if "." in plain else plain
        return _moment(text)


def _moment(text: str) -> Key:
    """Seconds and nanoseconds, without what a datetime cannot hold; and the text."""
    nanoseconds = int((re.findall(r"\.(\d+)", text) or ["0"])[0].ljust(9, "0"))
    at = datetime.fromisoformat(re.sub(r"\.\d+", "", text))
    moment = at.replace(tzinfo=None) - (at.utcoffset() or timedelta())
    whole = moment.replace(tzinfo=UTC).strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    fraction = f".{nanoseconds:09}".rstrip("0").rstrip(".")
    return (moment, nanoseconds), (whole + fraction).removesuffix("T00:00:00")


def declared_in(directory: Path) -> list[Declared]:
    """The fields of fields.json; none without it."""
    path = directory / "fields.json"
    content = json.loads(path.read_text()) if path.exists() else {}
    return [Declared(name, table, members) for table in content for name, members in content[table].items()]


def scale(products: list[set[Key]]) -> tuple[list[int], str]:
    """The order of a scale and its lines, from the values of each product."""
    places = sorted((key, position) for position, keys in enumerate(products) for key in keys)
    lines, place = "", 0
    for key, group in groupby(places, lambda each: each[0]):
        lines += f"{key[1]}\t{place}\n"
        place += len(list(group))
    return [position for _, position in places], lines
