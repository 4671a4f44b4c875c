"""After a swap, autovacuum ignores loaded rows and handles changed ones."""

from pathlib import Path

import pytest
from own_server import own_server
from support import Catalog, Database, load, wait_until

pytestmark = pytest.mark.long

_ROWS = 2_000
"""More than autovacuum_vacuum_insert_threshold's default of 1,000."""


def _vacuums(database: Database, schema: str) -> dict[object, int]:
    counts = database.query(
        "SELECT relname, autovacuum_count::int FROM pg_stat_user_tables WHERE schemaname = %s", schema
    )
    return {table: int(str(count)) for table, count in counts}


def test_autovacuum_leaves_a_new_catalog_alone_until_its_rows_change(tmp_path: Path, catalog: Catalog) -> None:
    catalog.grow(_ROWS)
    with own_server(tmp_path / "server", autovacuum_naptime="1s") as server:
        database = server.database
        assert load(database, catalog).status == 0
        # It has the default settings: when it was vacuumed twice, autovacuum has seen each table of the catalog.
        database.execute("CREATE TABLE public.witness AS SELECT 1 AS id WHERE false")
        for turn in (1, 2):
            database.execute(f"INSERT INTO public.witness SELECT generate_series(1, {_ROWS})")
            wait_until(lambda turn=turn: _vacuums(database, "public")["witness"] >= turn, "inserted rows are vacuumed")
        served = _vacuums(database, "catalog")
        # Each table of the catalog is named by the server itself, so a new one is in the claim at once.
        tables = database.query("SELECT tablename FROM pg_tables WHERE schemaname = 'catalog'")
        assert set(served) == {table for (table,) in tables} >= {"product_documents", "hidden_documents", "skus"}
        assert set(served.values()) == {0}

        database.execute("UPDATE catalog.product_documents SET load_id = load_id")
        wait_until(lambda: _vacuums(database, "catalog")["product_documents"] > 0, "changed rows are vacuumed")
