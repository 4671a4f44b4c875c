"""COMMENTs explain what the roles of the service read, also to those who have a database without this repository."""

import os
import re

import pytest
from support import ROOT, Catalog, Database, load

from etl.sql import read_sql

READABLE = """
SELECT class.oid::regclass::text, attname, obj_description(class.oid, 'pg_class'), col_description(class.oid, attnum)
FROM pg_class AS class
JOIN pg_attribute ON attrelid = class.oid AND attnum > 0 AND NOT attisdropped
WHERE relnamespace::regnamespace::text LIKE 'catalog%' AND relkind IN ('r', 'v') AND (
  has_column_privilege('catalog_api', class.oid, attnum, 'SELECT')
  OR has_column_privilege('catalog_writer', class.oid, attnum, 'SELECT')
)
"""
NAMES = """
SELECT relname FROM pg_class WHERE relnamespace::regnamespace::text LIKE 'catalog%'
UNION SELECT attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
WHERE relnamespace::regnamespace::text LIKE 'catalog%' AND NOT attisdropped
"""
SNAKE_CASE = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


@pytest.fixture
def comments(database: Database, catalog: Catalog) -> dict[str, str]:
    """The comment of each table and column that the API or the writer may read; empty: it has none."""
    assert load(database, catalog).status == 0
    rows = database.query(READABLE)
    texts = {str(table): text for table, _, text, _ in rows} | {
        f"{table}.{name}": text for table, name, _, text in rows
    }
    return {name: str(text or "").strip() for name, text in texts.items()}


def test_each_table_and_column_that_the_service_reads_has_a_comment(comments: dict[str, str]) -> None:
    assert len(comments) > 200
    assert [name for name, text in comments.items() if not text] == []


def test_no_comment_names_a_table_or_column_that_is_gone(database: Database, comments: dict[str, str]) -> None:
    names = {name for (name,) in database.query(NAMES)}
    named = {(place, word) for place, text in comments.items() for word in SNAKE_CASE.findall(text)}
    assert ("catalog.product_state", "built_seq") in named
    assert sorted((place, word) for place, word in named if word not in names) == []


def test_the_diagram_shows_the_tables_as_they_are(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog).status == 0
    diagram, file = str(database.query(read_sql("diagram.sql"))[0][0]), ROOT / "db/catalog.mmd"
    if os.environ.get("TEST_UPDATE_DIAGRAM"):
        file.write_text(diagram, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == diagram
