"""Imports follow the table of etl/README.md."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ETL = Path(__file__).resolve().parents[2] / "etl"
ROW = re.compile(r"^\| (`[a-z_/]+(?:\.py|/)`[^|]*)\|[^|]*\|([^|]*)\|$", re.MULTILINE)

rows = [
    (re.findall(r"`([^`]+)`", parts), re.findall(r"`([^`]+)`", may))
    for parts, may in ROW.findall((ETL / "README.md").read_text())
]
"""From top to bottom: the files and folders of a row, and what it may import."""


def row_of(module: str) -> int:
    """The row that names a module such as rows/layout, or else its folder."""
    for part in (f"{module}.py", f"{module.split('/')[0]}/"):
        for place, (parts, _) in enumerate(rows):
            if part in parts:
                return place
    raise AssertionError(f"no row of etl/README.md names {module}")


def modules() -> Iterator[str]:
    for path in sorted(ETL.rglob("*.py")):
        if path.name != "__init__.py":
            yield path.relative_to(ETL).with_suffix("").as_posix()


def imports(module: str) -> set[str]:
    """Our modules as they are named in the table, packages of others by their name."""
    names: set[str] = set()
    for node in ast.walk(ast.parse((ETL / f"{module}.py").read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    others = {name.split(".")[0] for name in names} - {"etl"} - sys.stdlib_module_names
    return others | {ours(name) for name in names if name.startswith("etl.")}


def ours(name: str) -> str:
    """etl.rows.layout.Layout is rows/layout."""
    path = name.removeprefix("etl.").replace(".", "/")
    return path if (ETL / f"{path}.py").exists() else path.rsplit("/", 1)[0]


def word_for(imported: str) -> str:
    """The word of the table: rows/layout has its own row, rows/blocks belongs to its folder."""
    if "/" not in imported or any(f"{imported}.py" in parts for parts, _ in rows):
        return imported
    return imported.split("/")[0]


def is_ours(imported: str) -> bool:
    return (ETL / f"{imported}.py").exists()


def test_every_module_has_a_row_and_every_row_a_module() -> None:
    named = [part for parts, _ in rows for part in parts]
    assert [part for part in named if not (ETL / part).exists()] == []
    assert {row_of(module) for module in modules()} == set(range(len(rows)))


def test_a_module_imports_only_what_its_row_allows() -> None:
    forbidden = []
    for module in modules():
        place = row_of(module)
        for imported in imports(module):
            in_own_row = is_ours(imported) and row_of(imported) == place
            if not in_own_row and word_for(imported) not in rows[place][1]:
                forbidden.append(f"{module} imports {imported}")
    assert forbidden == []


def test_a_row_allows_nothing_that_is_not_used() -> None:
    used: list[set[str]] = [set() for _ in rows]
    for module in modules():
        used[row_of(module)] |= {word_for(imported) for imported in imports(module)}
    assert [
        f"{parts[0]}: {word}"
        for (parts, may), words in zip(rows, used, strict=True)
        for word in may
        if word not in words
    ] == []


def test_a_module_imports_nothing_from_rows_above_it() -> None:
    upwards = [
        f"{module} imports {imported}"
        for module in modules()
        for imported in imports(module)
        if is_ours(imported) and row_of(imported) < row_of(module)
    ]
    assert upwards == []


def test_steps_never_import_each_other() -> None:
    steps = [module for module in modules() if module.startswith("steps/")]
    assert [step for step in steps if any(imported.startswith("steps/") for imported in imports(step))] == []
