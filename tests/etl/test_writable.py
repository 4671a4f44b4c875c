"""The keys that writes need are built on what is served, after the swap."""

import psycopg
from support import ROOT, Catalog, Database, load, run

KEYS = ["related_by_target", "skus_by_id", "styles_by_id"]
FOUND = """
SELECT relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE relnamespace = %s::regnamespace AND relname LIKE '%%\\_by\\_%%' AND indisvalid ORDER BY relname
"""


def keys(database: Database, schema: str = "catalog") -> list[object]:
    return [name for (name,) in database.query(FOUND, schema)]


def test_a_load_and_an_unswap_leave_a_writable_catalog(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    database.execute("DROP INDEX catalog.skus_by_id")
    assert load(database, catalog, "--again").status == 0
    assert (keys(database), keys(database, "catalog_previous")) == (KEYS, ["related_by_target", "styles_by_id"])
    assert run(database, "unswap").status == 0
    assert keys(database) == KEYS


def test_a_load_of_files_that_are_served_builds_the_keys_that_are_missing(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    database.execute("DROP INDEX catalog.skus_by_id, catalog.related_by_target")
    assert load(database, catalog).status == 0
    assert keys(database) == KEYS


def test_a_key_that_cannot_be_built_fails_after_the_swap_and_is_built_again(
    database: Database, catalog: Catalog
) -> None:
    load(database, catalog)
    database.execute("DROP INDEX catalog.skus_by_id; INSERT INTO catalog.skus VALUES (1, 2, 'M', 0)")
    failed = run(database, "writable")
    assert failed.status == 1
    assert "is served, but a key that writes and skus need is missing" in failed.last_line
    assert "skus_by_id" not in keys(database)
    assert database.query("SELECT to_regclass('catalog.skus_by_id') IS NOT NULL") == [(True,)]  # invalid
    database.execute("DELETE FROM catalog.skus WHERE (id, style_id) = (1, 2)")
    assert run(database, "writable").status == 0
    assert keys(database) == KEYS


def test_verify_accepts_a_styles_reply_that_waits_for_newer_quantities(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog, "--again").status == 0
    database.execute("UPDATE catalog.skus SET quantity = quantity + 1 WHERE quantity > 0")
    assert run(database, "verify").status == 1
    database.execute("SELECT catalog_log.append('stock', 1, restocked => '{1,2}')")
    assert run(database, "verify").status == 0


def test_without_anything_served_no_key_is_built(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    database.execute("DROP SCHEMA catalog CASCADE")
    done = run(database, "writable")
    assert (done.status, "nothing is served" in done.last_line) == (2, True)


def test_prepare_lets_workers_read_what_an_earlier_release_loaded(database: Database, catalog: Catalog) -> None:
    load(database, catalog, "--again")
    database.execute(
        "DROP FUNCTION IF EXISTS catalog.live_styles, catalog_previous.live_styles; "
        "DROP TABLE catalog_log.stock_head, catalog_log.stock_log, catalog_log.stock_applied; "
        "DROP TABLE catalog_log.stock_rejects; "
        "DROP FUNCTION catalog_log.stock_refusal, catalog_log.stock_step CASCADE; "
        "DELETE FROM catalog_meta.migrations WHERE name = '006_stock.sql'"
    )
    assert run(database, "prepare").status == 0
    read = (ROOT / "server/store/queries/written_styles.sql").read_text()
    with psycopg.connect(database.api) as api, psycopg.RawCursor(api) as cursor:
        row = cursor.execute(read, [1]).fetchone()
    assert row == database.query("SELECT body FROM catalog.styles_documents WHERE id = 1")[0]
