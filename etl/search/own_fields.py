"""The words and values of the fields that a shop declares."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pyarrow as pa

from etl.tables import Field

_LEVELS = {"name": 0, "attribute": 1, "text": 2}
"""Levels of the words of a field, as those of Pairs."""
_ORDERED = ("number", "date")
"""Scales have the values of these (db/search/scales.sql)."""


class Texts(NamedTuple):
    """Texts, and the rows of a batch that have them."""

    texts: list[str]
    rows: list[int]

    def add(self, text: str, row: int) -> None:
        self.texts.append(text)
        self.rows.append(row)


class OwnFields:
    """The fields of one table that have words, or values with sets."""

    def __init__(self, fields: Iterable[Field]) -> None:
        self._fields = {field.name: field for field in fields if field.search or _has_sets(field)}

    @property
    def names(self) -> str:
        """Their names in SQL; empty without one."""
        return ",".join(f"'{name}'" for name in self._fields)

    def texts(self, batch: pa.RecordBatch) -> tuple[Mapping[int, Texts], Texts]:
        """Texts that are cut into words, by level; and the values as `field.NAME=VALUE`."""
        words: dict[int, Texts] = defaultdict(lambda: Texts([], []))
        values = Texts([], [])
        names, found = batch.column("name").to_pylist(), batch.column("value").to_pylist()
        for row, (name, value) in enumerate(zip(names, found, strict=True)):
            field = self._fields[name]
            for text in json.loads(value) if field.type == "list" else (value,):
                if field.search:
                    words[_LEVELS[field.search]].add(text, row)
                if _has_sets(field):
                    values.add(f"field.{name}={text}", row)
        return words, values


def _has_sets(field: Field) -> bool:
    return field.facet and field.type not in _ORDERED
