"""etl/tables.py has the columns of the six files; every other list of them must be the same."""

import json
import os
import re
import subprocess

import pytest
from support import ROOT, Database

from etl.declaration import DECLARABLE
from etl.sql import read_sql
from etl.tables import TABLES, Table, normalised

EACH_TABLE = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)


def _headers(names: list[str], table: Table) -> list[str]:
    """Our columns that a file's header means, in its order."""
    by_header = {header: column.name for column in table.columns for header in column.headers}
    return [by_header.get(normalised(name), f"unknown: {name}") for name in names]


def _names(table: Table) -> list[str]:
    return [column.name for column in table.columns]


@EACH_TABLE
def test_the_table_in_the_database_has_the_columns_of_its_file(database: Database, table: Table) -> None:
    database.execute("DROP SCHEMA IF EXISTS columns CASCADE; CREATE SCHEMA columns")
    database.execute(read_sql("schema/001_tables.sql", schema="columns"))
    found = database.query(
        "SELECT column_name, is_nullable = 'YES' FROM information_schema.columns "
        "WHERE table_schema = 'columns' AND table_name = %s AND column_default IS NULL",
        table.name,
    )
    further = [("position", False)] if table.keeps_file_order else []
    further += [("fields", True)] if table.name in DECLARABLE else []
    assert sorted(found) == sorted([*further, *((column.name, column.nullable) for column in table.columns)])


@EACH_TABLE
def test_the_readme_lists_the_columns_of_each_file_in_their_order(table: Table) -> None:
    row = re.search(rf"^\| `{table.file}` \| (.*) \|$", (ROOT / "etl/README.md").read_text(), re.MULTILINE)
    assert row, f"etl/README.md does not list {table.file}"
    # The values of a column are in parentheses.
    assert _headers(re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", row[1])), table) == _names(table)


def test_the_generator_writes_the_columns_in_their_order() -> None:
    script = "const { tables } = require('./scripts/generate/tables'); console.log(JSON.stringify(tables))"
    done = subprocess.run([os.environ["TEST_NODE"], "-e", script], cwd=ROOT, capture_output=True, text=True, check=True)
    generated = {table["file"]: table["columns"] for table in json.loads(done.stdout).values()}
    assert {table.file: _headers(generated[table.file], table) for table in TABLES} == {
        table.file: _names(table) for table in TABLES
    }


def test_the_benchmark_copies_the_columns_in_their_order() -> None:
    source = ROOT / "tests/lab/bench/load.js"
    copied = dict(re.findall(r"\['(\w+\.csv)', '\w+ \((.*?)\)', '\w*'\]", source.read_text()))
    assert {file: names.split(", ") for file, names in copied.items()} == {
        table.file: _names(table) for table in TABLES
    }
