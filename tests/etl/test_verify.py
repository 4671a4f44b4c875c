"""Each check finds its defect and says how to repair it."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from support import Catalog, Database, load, run, wait_until

DOCUMENT = "1, now(), now(), 0, '', '', '', 0, 0"
"""The columns after the id of a row of product_documents."""


def _steps(database: Database, catalog: Catalog, *steps: str, max_reject: int = 1) -> None:
    for step in steps:
        files = [catalog.directory, "--max-reject", max_reject] if step == "copy" else []
        assert run(database, step, *files).status == 0


@pytest.mark.parametrize(
    ("fault", "title"),
    [
        (
            "DELETE FROM {s}.products WHERE id = 2; DELETE FROM {s}.product_documents WHERE id = 2; "
            "DELETE FROM {s}.styles_documents WHERE id = 2",
            "every row is in the reply of its product",
        ),
        ("UPDATE {s}.related SET related_product_id = 77 WHERE id = 1", "every related product exists"),
        ("UPDATE {s}.styles_documents SET photo_rows = 1 WHERE id = 1", "every row is in the reply of its product"),
        ("UPDATE {s}.photos SET style_id = 77 WHERE id = 1", "a sample of styles replies"),
        ("DELETE FROM catalog_meta.rejects", "every rejected row is recorded with its reason"),
        ("DELETE FROM catalog_meta.repairs", "every repaired row is listed with its rule"),
        ("ALTER TABLE {s}.photos DROP CONSTRAINT photos_pkey", "every index is whole"),
        (
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{s}.photos_pkey'::regclass",
            "every index is whole",
        ),
        # of a product without styles: no row is missed, only the document
        ("DELETE FROM {s}.styles_documents WHERE id = 3", "every row is in the reply of its product"),
        ("UPDATE {s}.page_blocks SET rows = 2", "the page blocks count every product once"),
        ("DELETE FROM {s}.page_blocks", "the page blocks count every product once"),
        ("UPDATE {s}.page_blocks SET first_id = 2, rows = 2", "the page blocks count every product once"),
        ("UPDATE {s}.products SET name = 'x'", "a sample of product replies"),
        ("UPDATE {s}.skus SET quantity = 6", "a sample of styles replies"),
        ("UPDATE {s}.skus SET quantity = 0", "a sample of cards"),
        ("UPDATE {s}.cards SET offer = replace(offer, 'true', 'false')", "a sample of cards"),
        ("UPDATE {s}.cards SET price = price + 1 WHERE id = 1", "a sample of cards"),
        ("DELETE FROM {s}.cards WHERE id = 3", "every row is in the reply of its product"),
        ("ALTER TABLE {s}.cards DROP CONSTRAINT cards_pkey", "every index is whole"),
    ],
)
def test_a_defect_is_found_and_keeps_the_load_from_being_served(
    database: Database, catalog: Catalog, fault: str, title: str
) -> None:
    catalog.append("skus.csv", '9,1,"M",x\n10,1, "M", 5\n')
    run(database, "prepare")
    _steps(database, catalog, "copy", "index", "documents", "search", max_reject=50)
    database.execute(fault.format(s="catalog_staging"))
    done = run(database, "verify")
    assert done.status == 1
    assert f"not true: {title}" in done.last_line
    assert done.last_line.endswith("; `load` the files again, which begins a new load")
    assert run(database, "swap").status == 2
    assert database.query("SELECT error FROM catalog_meta.loads ORDER BY id DESC LIMIT 1") == [
        (done.last_line.removeprefix("failed: "),)
    ]


def test_a_load_that_failed_its_checks_begins_again(database: Database, catalog: Catalog) -> None:
    run(database, "prepare")
    _steps(database, catalog, "copy", "index", "documents", "search")
    database.execute("DELETE FROM catalog_staging.page_blocks")
    assert run(database, "verify").status == 1
    again = load(database, catalog)
    assert (again.status, "begins" in again.stderr) == (0, True)


@pytest.mark.parametrize(
    "orphan",
    [
        "INSERT INTO {s}.styles VALUES (77, 99, 'n', null, 5, true); UPDATE {s}.skus SET style_id = 77 WHERE id = 3",
        "UPDATE {s}.photos SET style_id = 77 WHERE id = 1",
        "UPDATE {s}.skus SET style_id = 77 WHERE id = 1",
        "UPDATE {s}.features SET product_id = 77 WHERE id = 1",
        "UPDATE {s}.related SET product_id = 77 WHERE id = 1",
    ],
)
def test_a_row_without_its_product_is_found_missing_in_the_replies(
    database: Database, catalog: Catalog, orphan: str
) -> None:
    run(database, "prepare")
    _steps(database, catalog, "copy", "index")
    database.execute(orphan.format(s="catalog_staging"))
    for step in ("documents", "search"):
        assert run(database, step).status == 0
    done = run(database, "verify")
    assert (done.status, "every row is in the reply of its product" in done.last_line) == (1, True)


def test_page_blocks_follow_single_products(database: Database, catalog: Catalog) -> None:
    catalog.grow(200)
    assert load(database, catalog).status == 0
    assert database.query("SELECT first_id, rows FROM catalog.page_blocks ORDER BY 1") == [
        (1, 64), (65, 64), (129, 64), (193, 8),
    ]  # fmt: skip
    database.execute("DELETE FROM catalog.product_documents WHERE id IN (1, 100, 193)")
    database.execute(f"INSERT INTO catalog.product_documents SELECT id, {DOCUMENT} FROM unnest(ARRAY[1, 1000]) AS id")
    assert database.query("SELECT first_id, rows FROM catalog.page_blocks ORDER BY 1") == [
        (1, 64), (65, 63), (129, 64), (193, 8),
    ]  # fmt: skip


def test_a_full_page_block_takes_a_product_in_its_middle(database: Database, catalog: Catalog) -> None:
    catalog.grow(200)
    assert load(database, catalog).status == 0
    database.execute(
        "DELETE FROM catalog.product_documents WHERE id = 100; UPDATE catalog.page_blocks SET rows = 64; "
        f"INSERT INTO catalog.product_documents VALUES (100, {DOCUMENT}), (201, {DOCUMENT})"
    )
    assert database.query("SELECT first_id, rows FROM catalog.page_blocks ORDER BY 1") == [
        (1, 64), (65, 65), (129, 64), (193, 64), (201, 1),
    ]  # fmt: skip


def test_a_product_is_counted_in_the_block_that_another_has_begun_meanwhile(
    database: Database, catalog: Catalog
) -> None:
    catalog.grow(63)
    assert load(database, catalog).status == 0
    add = f"INSERT INTO catalog.product_documents VALUES (%s, {DOCUMENT})"
    with (
        psycopg.connect(database.superuser) as first,
        psycopg.connect(database.superuser) as second,
        ThreadPoolExecutor() as threads,
    ):
        first.execute(add, [64])
        waiting = threads.submit(second.execute, add, [80])
        blocked = "SELECT FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'"
        wait_until(lambda: database.query(blocked, second.info.backend_pid), "the second waits for the first")
        first.execute(add, [70])
        first.commit()
        waiting.result()
    assert database.query("SELECT first_id, rows FROM catalog.page_blocks ORDER BY 1") == [(1, 64), (70, 2)]


def test_verify_without_a_running_load_checks_what_is_served(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    assert run(database, "verify").status == 0
    database.execute("DELETE FROM catalog.skus WHERE id = 3")
    assert "not true: every table has as many rows as the ledger counts" in run(database, "verify").last_line
    database.execute("DELETE FROM catalog.product_documents WHERE id = 1")
    done = run(database, "verify")
    assert "not true: every product has its two documents and its card" in done.last_line
    assert done.last_line.endswith("; `unswap`, or `load --again` the files")
    assert load(database, catalog, "--again").status == 0
    assert run(database, "verify").status == 0


@pytest.mark.parametrize("table", ["products", "product_documents", "styles_documents", "cards"])
def test_a_product_that_lacks_a_part_of_what_is_served_is_found(
    database: Database, catalog: Catalog, table: str
) -> None:
    assert load(database, catalog).status == 0
    database.execute(f"DELETE FROM catalog.{table} WHERE id = 3")
    done = run(database, "verify")
    assert (
        "FAIL every product has its two documents and its card, or is hidden, and each of these has its product: 1"
        in done.stderr
    )


def test_what_is_served_can_be_checked_while_a_load_is_in_staging(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog).status == 0
    _steps(database, catalog, "copy", "index", "documents", "search")
    [(staged,), (live,)] = database.query("SELECT id FROM catalog_meta.loads ORDER BY id DESC LIMIT 2")
    database.execute(f"UPDATE catalog_meta.loads SET state = 'failed', error = 'x' WHERE id = {staged}")
    before = database.query("SELECT * FROM catalog_meta.loads ORDER BY id")
    sound = run(database, "verify", "--served")
    database.execute("DELETE FROM catalog.product_documents WHERE id = 1")
    damaged = run(database, "verify", "--served")
    assert (sound.status, damaged.status) == (0, 1)
    assert database.query("SELECT * FROM catalog_meta.loads ORDER BY id") == before
    in_staging = run(database, "verify")
    assert in_staging.status == 0
    assert [done.stderr.splitlines()[0] for done in (sound, damaged, in_staging)] == [
        f"load {live}, served",
        f"load {live}, served",
        f"load {staged}, in staging, not served",
    ]


def test_checking_what_is_served_needs_a_served_load(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog).status == 0
    database.execute("DROP SCHEMA catalog CASCADE")
    done = run(database, "verify", "--served")
    assert (done.status, done.last_line) == (2, "refused: nothing is served: run `load DIR` first")


def test_a_load_without_its_staging_cannot_resume(database: Database, catalog: Catalog) -> None:
    """This is the state after restoring a backup that was taken during a load."""
    assert load(database, catalog).status == 0
    assert run(database, "copy", catalog.directory).status == 0
    database.execute("DROP SCHEMA catalog_staging CASCADE")
    assert run(database, "verify").status == 0
    done = run(database, "index")
    assert (done.status, "nothing is being loaded" in done.last_line) == (2, True)
    again = load(database, catalog, "--again")
    assert (again.status, "begins" in again.stderr) == (0, True)


def test_the_largest_id_is_loaded_and_served(database: Database, catalog: Catalog) -> None:
    catalog.append("product.csv", '2147483647,"Z","z","zz","Hats",1\n')
    catalog.append("styles.csv", '2147483647,2147483647,"Red",null,140,1\n')
    done = load(database, catalog)
    assert done.status == 0, done.last_line
    assert database.query("SELECT max(id) FROM catalog.product_documents") == [(2147483647,)]
