"""The files of a part of a catalog: those of the six that are there, prices.csv and quantities.csv."""

import difflib
import hashlib
from pathlib import Path

from etl.declaration import FILE, Declaration, read_declaration
from etl.errors import Refused
from etl.files import edges_of
from etl.missing import require_folder
from etl.rows.layout import Layout, field_column, read_layout
from etl.tables import PART_TABLES, UPDATED, Column, normalised

_NAMES = [table.file for table in PART_TABLES]
_ALL = f"{', '.join(_NAMES[:-1])} and {_NAMES[-1]}"


def read_part(directory: Path, served: Declaration) -> list[Layout]:
    """Checks the beginning of each file before any work.

    Raises:
        Refused: when there is none, one of another name, or one that cannot be read.
    """
    require_folder(directory)
    names = sorted(path.name for path in directory.iterdir())
    unknown = [name for name in names if ".csv" in name.lower() and name not in _NAMES]
    if unknown:
        near = difflib.get_close_matches(unknown[0], _NAMES, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise Refused(f"{directory / unknown[0]} is no file of a catalog: {hint}A part may have {_ALL}")
    tables = [table for table in PART_TABLES if table.file in names]
    if not tables:
        raise Refused(f"{directory} has no file of a catalog: a part may have {_ALL}")
    if FILE in names and (read_declaration(directory) or Declaration()).content != served.content:
        raise Refused(
            f"{directory / FILE} declares other fields than the load that is served: "
            "take it out of the folder, or run `load DIR` with all six files and it"
        )
    layouts = [
        read_layout(directory / table.file, table, served.of(table), may_lack=table.name in UPDATED) for table in tables
    ]
    for table, layout in zip(tables, layouts, strict=True):
        _refuse_misspelt(layout, [*table.columns, *map(field_column, served.of(table))])
    return layouts


def _refuse_misspelt(layout: Layout, columns: list[Column]) -> None:
    """A part may lack columns, so a misspelt one would change nothing without a word."""
    lacking = [column.headers[0] for column in columns if column not in layout.columns]
    for header in layout.ignored:
        near = difflib.get_close_matches(normalised(header), lacking, n=1)
        if near:
            raise Refused(
                f"{layout.path} has no column {near[0]}, but {header!r}: correct its name, or take the column out"
            )


def fingerprint(layouts: list[Layout]) -> str:
    """A digest of the files, by which a run goes on with what another one has planned."""
    digest = hashlib.sha256()
    for layout in layouts:
        digest.update(edges_of(layout.path))
    return digest.hexdigest()


def scopes_of(layouts: list[Layout]) -> list[str]:
    """The scopes that a key needs for these files."""
    names = {layout.table.name for layout in layouts}
    has_quantity = any(column.name == "quantity" for layout in layouts for column in layout.table.columns)
    return ["content"] * bool(names - {"quantities"}) + ["stock"] * has_quantity
