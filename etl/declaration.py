"""fields.json: the fields of a shop's own. Reads it, and finds all mistakes at once."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from etl.errors import Refused
from etl.mistakes import mistakes_by_schema, read_json, refuse_mistakes
from etl.sql import SQL
from etl.tables import BY_NAME, Field, Table, normalised

__all__ = ["DECLARABLE", "FILE", "Declaration", "Field", "read_declaration", "stored_declaration"]

FILE = "fields.json"
DECLARABLE = ("products", "styles", "skus")
"""The tables that may have fields."""
_MAX_FIELDS = 64
_SCHEMA = json.loads((SQL / "fields.schema.json").read_text(encoding="utf-8"))
_DEFAULTS = {"separator": None, "search": None, "invalid": "reject"} | dict.fromkeys(
    ("facet", "card", "sort", "lookup"), False
)


@dataclass(frozen=True)
class Declaration:
    """The fields of each table by name, in declared order."""

    products: Mapping[str, Field] = field(default_factory=dict)
    styles: Mapping[str, Field] = field(default_factory=dict)
    skus: Mapping[str, Field] = field(default_factory=dict)

    def of(self, table: Table) -> tuple[Field, ...]:
        """The fields of a table; none of those that cannot have some."""
        return tuple(getattr(self, table.name).values()) if table.name in DECLARABLE else ()

    @property
    def content(self) -> str:
        """JSON with all members of each field filled in, for catalog_meta.declarations."""
        tables = {name: {own.name: _without_name(own) for own in self.of(BY_NAME[name])} for name in DECLARABLE}
        return json.dumps(tables, ensure_ascii=False, separators=(",", ":"))


def stored_declaration(connection: psycopg.Connection, load_id: int) -> Declaration:
    """The fields that a load declares."""
    row = connection.execute("SELECT content FROM catalog_meta.declarations WHERE load_id = %s", [load_id]).fetchone()
    return Declaration(**{name: _fields(row[0][name]) for name in DECLARABLE}) if row else Declaration()


def _without_name(own: Field) -> dict[str, Any]:
    members = asdict(own)
    del members["name"]
    return members


def read_declaration(directory: Path) -> Declaration | None:
    """Reads fields.json of a folder; None without one, or when it declares nothing.

    Raises:
        Refused: names all mistakes.
    """
    path = directory / FILE
    if not path.exists() and not path.is_symlink():
        return None
    if path.exists() and not path.is_file():  # to read a pipe would wait for its writer
        raise Refused(f"{path} is not a regular file: put the declaration itself there")
    _, given = read_json(path)
    refuse_mistakes(path, mistakes_by_schema(_SCHEMA, given))
    declared = Declaration(**{name: _fields(given.get(name, {})) for name in DECLARABLE})
    refuse_mistakes(path, [*_mistakes(declared)])
    return declared if any(declared.of(BY_NAME[name]) for name in DECLARABLE) else None


def _fields(given: dict[str, dict[str, Any]]) -> dict[str, Field]:
    return {
        name: Field(
            name, **_DEFAULTS | {"column": name} | ({"separator": "|"} if members["type"] == "list" else {}) | members
        )
        for name, members in given.items()
    }


def _mistakes(declared: Declaration) -> Iterator[str]:
    """Finds what contradicts the catalog or itself, which a schema cannot say."""
    total = sum(len(declared.of(BY_NAME[name])) for name in DECLARABLE)
    if total > _MAX_FIELDS:
        yield f"the file declares {total} fields, more than {_MAX_FIELDS}"
    tables: dict[str, str] = {}
    for name in DECLARABLE:
        table = BY_NAME[name]
        taken = {header: "a column of every catalog" for column in table.columns for header in column.headers}
        for own in declared.of(table):
            at = f"{name}.{own.name}"
            if own.name in tables:
                yield f"{at}: {tables[own.name]} has a field of this name, and searches know fields by name alone"
            tables.setdefault(own.name, name)
            header = normalised(own.column)
            if not header:
                yield f"{at}: the column {own.column!r} has no letter or digit"
            elif header in taken:
                yield f"{at}: the column {own.column!r} is {taken[header]}"
            taken[header] = f"that of the field {own.name}"
            yield from (f"{at}: {mistake}" for mistake in _misplaced(own, name))


def _misplaced(own: Field, table: str) -> Iterator[str]:
    """Members that another type or table may have."""
    if own.separator is not None and own.type != "list":
        yield "only a list has a separator"
    if own.search and own.type not in ("text", "list"):
        yield "only words of texts and lists are searched"
    if own.card and table != "products":
        yield "only fields of products are on cards"
    if own.sort and (table != "products" or own.type not in ("number", "date")):
        yield "only numbers and dates of products sort"
    if own.lookup and table != "skus":
        yield "only skus are looked up"
    if own.lookup and own.type == "list":
        yield "skus are looked up by single values, and a list has several"
