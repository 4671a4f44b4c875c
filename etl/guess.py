"""Guesses a fields.json from the headers and the first rows of the files, as a beginning for its author."""

import csv
import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from etl.declaration import DECLARABLE, FILE
from etl.errors import Refused
from etl.rows.declared import is_of_type
from etl.tables import BY_NAME, FieldType, Table, normalised

_ROWS = 10_000
_FACET_VALUES = 1000
_TYPES: tuple[FieldType, ...] = ("boolean", "number", "date")
_CODE = re.compile("0[0-9]+|[0-9]{8,}")
"""Digits that are no quantity: an article number, a GTIN."""


def write(directory: Path) -> Path:
    """Makes the fields.json of a folder that has none.

    Raises:
        Refused: when it has one, which somebody wrote, or cannot get one.
    """
    path = directory / FILE
    text = guess(directory)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text + "\n")
    except FileExistsError:
        raise Refused(f"{path} exists: compare it with what the same command prints without --write") from None
    except OSError as error:
        raise Refused(f"{path} cannot be written ({error.strerror}): give access to the folder") from None
    return path


def guess(directory: Path) -> str:
    """The text of a fields.json: each column that is no column of every catalog, with a type that its values have."""
    names: set[str] = set()
    tables = {}
    for name in DECLARABLE:
        fields = [
            f"    {json.dumps(own, ensure_ascii=False)}: {json.dumps(members, ensure_ascii=False)}"
            for own, members in _fields(directory, BY_NAME[name], names)
        ]
        if fields:
            tables[name] = ",\n".join(fields)
    return "{\n" + ",\n".join(f'  "{name}": {{\n{fields}\n  }}' for name, fields in tables.items()) + "\n}"


def _fields(directory: Path, table: Table, names: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    known = {header for column in table.columns for header in column.headers}
    header, *rows = _first_rows(directory / table.file)
    if not known & {normalised(column.strip()) for column in header}:
        return  # no header
    for at, column in enumerate(header):
        if normalised(column.strip()) in known | {""}:
            continue
        known.add(normalised(column.strip()))
        values = [row[at].strip() for row in rows if len(row) > at]
        values = [value for value in values if value.lower() not in ("", "null", "\\n")]
        name = _name(column, table.name, names)
        names.add(name)
        own = {} if normalised(name) == normalised(column.strip()) else {"column": column.strip()}
        yield name, {**_members(values, table.name), **own}


def _first_rows(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            rows = list(islice(csv.reader(line.replace("\0", "") for line in file), _ROWS + 1))
    except (OSError, csv.Error) as error:
        raise Refused(f"{path} cannot be read ({error}): name the folder that holds the six CSV files") from None
    return rows or [[]]


def _name(column: str, table: str, names: set[str]) -> str:
    """A name that is allowed, and that no other field has."""
    name = re.sub("[^a-z0-9]+", "_", column.casefold()).strip("_").lstrip("0123456789_")[:30].rstrip("_") or "field"
    name = name if name not in names else f"{table[:-1]}_{name}"
    number = 2
    while name in names:
        name, number = f"{name.rstrip('0123456789')}{number}", number + 1
    return name


def _members(values: list[str], table: str) -> dict[str, Any]:
    """The type that all values have, and what a shop of most kinds would want of it."""
    for kind in _TYPES:
        if values and all(is_of_type(value, kind) for value in values) and not any(map(_CODE.fullmatch, values)):
            sorts = {"sort": True} if table == "products" and kind != "boolean" else {}
            return {"type": kind, **sorts, "facet": True}
    for separator in ("|", ";"):
        if sum(separator in value for value in values) * 10 > len(values) and max(map(len, values)) < 500:
            return {"type": "list", "separator": separator, "facet": True, "search": "text"}
    distinct = set(values)
    if 0 < len(distinct) <= min(_FACET_VALUES, len(values) / 2):
        return {"type": "text", "facet": True, "search": "attribute"}
    if table == "skus" and len(distinct) == len(values) > 0:
        return {"type": "text", "lookup": True}
    return {"type": "text"}
