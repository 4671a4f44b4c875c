"""rebuild.sql makes the documents of written products those that a load of the same rows makes."""

import pytest
from support import Catalog, Database, load, run
from writing import Changed, change, write

PRODUCTS = 20
NEW = ["--again", "--drop-writes"]
STORED = (
    "SELECT to_jsonb(product) - 'load_id' - 'created_at' - 'updated_at' - 'head', left(product.head, -95), body, "
    "digest, card.price, card.head, offer FROM catalog.product_documents AS product "
    "JOIN catalog.styles_documents AS styles USING (id) JOIN catalog.cards AS card USING (id) ORDER BY id"
)
"""Everything of all products but times, whose text has a fixed length at the end of head."""
SERVED_TIMES = "SELECT created_at, updated_at FROM catalog.product_documents WHERE id = %s"
ADD = (
    "INSERT INTO catalog.products VALUES (21, 'New', 's', 'd', 'Hats', 21); "
    "INSERT INTO catalog.styles VALUES (21, 21, 'S', NULL, 21, true); "
    "INSERT INTO catalog.skus VALUES (99, 21, 'M', 1)"
)
REMOVE = (
    "DELETE FROM catalog.products WHERE id = 7; DELETE FROM catalog.styles WHERE product_id = 7; "
    "DELETE FROM catalog.photos WHERE style_id = 7; DELETE FROM catalog.skus WHERE style_id = 7; "
    "DELETE FROM catalog.features WHERE product_id = 7; "
    "DELETE FROM catalog.related WHERE product_id = 7 OR related_product_id = 7"
)


@pytest.fixture
def served(database: Database, catalog: Catalog) -> Catalog:
    catalog.grow(PRODUCTS)
    assert load(database, catalog, *NEW).status == 0
    return catalog


@pytest.mark.usefixtures("served")
def test_after_a_load_there_is_nothing_to_rebuild(database: Database) -> None:
    with write(database) as opened:
        assert opened.rebuild(*range(1, PRODUCTS + 2)) == []


@pytest.mark.parametrize(
    ("sql", "id_", "expected"),
    [
        ("UPDATE catalog.products SET description = 'other' WHERE id = 1", 1, ("updated", False, False)),
        ("UPDATE catalog.products SET default_price = 1.50 WHERE id = 1", 1, ("updated", False, True)),
        ("UPDATE catalog.products SET default_price = 1.500 WHERE id = 1", 1, ("updated", False, True)),
        ("UPDATE catalog.styles SET name = 'other' WHERE id = 2", 2, ("updated", True, False)),
        ("UPDATE catalog.styles SET sale_price = 1 WHERE id = 2", 2, ("updated", True, True)),
        ("UPDATE catalog.photos SET url = 'other' WHERE id = 6", 3, ("updated", True, False)),
        ("UPDATE catalog.photos SET position = 1000 - position WHERE style_id = 3", 3, ("updated", True, True)),
        ("UPDATE catalog.skus SET size = 'S' WHERE id = 8", 4, ("updated", True, True)),
        ("UPDATE catalog.skus SET quantity = 8 WHERE id = 8", 4, ("restocked", True, False)),
        ("UPDATE catalog.skus SET quantity = 0 WHERE style_id = 4", 4, ("restocked", True, True)),
        ("DELETE FROM catalog.features WHERE product_id = 5", 5, ("updated", False, False)),
        ("UPDATE catalog.related SET related_product_id = 1 WHERE product_id = 6", 6, ("updated", False, False)),
        (REMOVE, 7, ("deleted", True, False)),
        (ADD, 21, ("created", True, True)),
        ("UPDATE catalog.products SET name = name WHERE id = 1", 1, None),
    ],
)
@pytest.mark.usefixtures("served")
def test_a_change_of_rows_is_named_and_moves_times_for_content_alone(
    database: Database, sql: str, id_: int, expected: tuple[str, bool, bool] | None
) -> None:
    before = database.query(SERVED_TIMES, id_)
    with write(database) as opened:
        opened.execute(sql)
        changed: Changed = opened.rebuild(*range(1, PRODUCTS + 2))
        again = opened.rebuild(*range(1, PRODUCTS + 2))
        kind = expected[0] if expected else None
        others = [(PRODUCTS + 1 - id_, "updated", False, False)] if kind == "deleted" else []
        assert changed == ([(id_, *expected), *others] if expected else [])
        assert again == []
        after = opened.connection.execute(SERVED_TIMES, [id_]).fetchall()
    if kind in ("restocked", None):
        assert after == before
    elif kind == "updated":
        assert (after[0][0], after[0][1] > before[0][1]) == (before[0][0], True)
    elif kind == "created":
        assert (after[0][0] == after[0][1], before) == (True, [])
    else:
        assert after == []


def test_written_documents_are_those_that_a_load_of_these_rows_makes(database: Database, served: Catalog) -> None:
    change(database, f"{ADD}; {REMOVE}", *range(1, 22))
    change(database, "UPDATE catalog.skus SET quantity = 0, size = 'é' WHERE style_id IN (3, 4)", 3, 4)
    change(database, "UPDATE catalog.products SET name = 'Größe \"Ω\"' WHERE id = 1", 1)
    assert run(database, "verify", "--served").status == 0
    written = database.query(STORED)
    copied = "products", "styles", "photos", "skus", "features", "related"
    for table in copied:
        database.execute(f"CREATE TABLE public.{table} AS TABLE catalog.{table}")
    for step in (["copy", served.directory, "--drop-writes"], ["index"]):
        assert run(database, *step).status == 0
    for table in copied:
        database.execute(
            f"DELETE FROM catalog_staging.{table}; INSERT INTO catalog_staging.{table} TABLE public.{table}; "
            f"DROP TABLE public.{table}"
        )
    assert run(database, "documents").status == 0
    changes = "SELECT count(*) FROM catalog_staging.changes"
    assert database.query(changes) == [(0,)]
    assert database.query(STORED.replace("catalog.", "catalog_staging.")) == written


def test_a_written_row_without_its_documents_is_found(database: Database, served: Catalog) -> None:
    change(database, "UPDATE catalog.products SET name = 'Other' WHERE id = 1", 1)
    change(database, "UPDATE catalog.skus SET quantity = 0 WHERE id = 4", 2)
    assert run(database, "verify", "--served").status == 0
    database.execute("UPDATE catalog.products SET name = 'Again' WHERE id = 1")
    assert "not true: a sample of product replies" in run(database, "verify", "--served").last_line
    assert load(database, served, *NEW).status == 0
    database.execute("UPDATE catalog.product_documents SET content = content + 1 WHERE id = 1")
    assert "not true: a sample of product replies" in run(database, "verify", "--served").last_line
    database.execute("UPDATE catalog.styles_documents SET digest = digest + 1 WHERE id = 2")
    assert "not true: a sample of styles replies" in run(database, "verify", "--served").last_line


def test_a_load_and_an_unswap_list_what_was_written_since(database: Database, served: Catalog) -> None:
    """A write between the documents of a load and its swap; then one after it."""
    lists = "SELECT created, updated, deleted, restocked FROM catalog_log.commits ORDER BY seq DESC LIMIT 1"
    for step in (["copy", served.directory], ["index"], ["documents"], ["search"], ["verify"]):
        assert run(database, *step).status == 0
    change(database, ADD, 21)
    change(database, "UPDATE catalog.products SET name = 'Other' WHERE id = 2", 2)
    change(database, "UPDATE catalog.skus SET quantity = 1 WHERE id = 6", 3)
    assert run(database, "swap", "--drop-writes").status == 0
    assert database.query(lists) == [([], [2], [21], [3])]
    change(database, ADD.replace("21", "22"), 22)
    assert run(database, "unswap", "--drop-writes").status == 0
    assert database.query(lists) == [([21], [2], [22], [3])]
    assert run(database, "unswap").status == 0
    assert database.query(lists) == [([22], [2], [21], [3])]
