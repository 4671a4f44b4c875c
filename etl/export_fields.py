"""The fields of a shop's own in an export: columns of the files, and fields.json."""

import json
from typing import Any, NamedTuple

from psycopg.sql import Identifier, Literal

from etl.sql import read_sql

Declared = dict[str, dict[str, dict[str, Any]]]
"""The content of catalog_meta.declarations."""
_IDENTIFIER_BYTES = 63
"""PostgreSQL cuts longer names of columns, also in a header, so that two may become one."""


class FieldColumns(NamedTuple):
    """The further columns of a table in db/export/files.sql, and those of them that are texts."""

    fields: str
    texts: str


def field_columns(fields: dict[str, dict[str, Any]]) -> FieldColumns:
    """The columns of the fields of a table."""
    columns = {name: f", {Identifier(_column(name, field)).as_string(None)}" for name, field in fields.items()}
    return FieldColumns(
        "".join(f", {_value(name, field)} AS {columns[name][2:]}" for name, field in fields.items()),
        "".join(columns[name] for name, field in fields.items() if field["type"] in ("text", "list")),
    )


def declaration_json(declared: Declared) -> bytes:
    """The text of fields.json."""
    content = {
        table: {name: _members(field) | {"column": _column(name, field)} for name, field in fields.items()}
        for table, fields in declared.items()
        if fields
    }
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()


def _value(name: str, field: dict[str, Any]) -> str:
    literal = Literal(name).as_string(None)
    if field["type"] != "list":
        return f"fields ->> {literal}"
    return read_sql("export/list_field.sql", field=literal, separator=Literal(field["separator"]).as_string(None))


def _column(name: str, field: dict[str, Any]) -> str:
    """The column as the shop named it, where SQL that is filled in can say it."""
    column = str(field["column"])
    return column if len(column.encode()) <= _IDENTIFIER_BYTES and "{" not in column else f"field.{name}"


def _members(field: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in field.items() if value is not None}
