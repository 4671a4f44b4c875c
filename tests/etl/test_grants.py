"""Rights of the roles of the service, which is all that a leaked password gives."""

import pytest
from support import Catalog, Database, load, run

KEPT = ["catalog.loaded_cards", "catalog.loaded_products"]
READ_BY_ALL = [
    "catalog.cards",
    *KEPT,
    "catalog.page_blocks",
    "catalog.product_documents",
    "catalog.product_state",
    "catalog.styles_documents",
    "catalog_log.commits",
    "catalog_log.head",
    "catalog_meta.data_version",
]
READ_BY_API = [
    *READ_BY_ALL,
    "catalog.sku_replies",
    "catalog.search_blobs",
    "catalog.search_sets",
    "catalog_meta.declarations",
    "catalog_meta.tuning",
]
OF_WRITES = ["catalog_log.requests", "catalog_log.revisions"]
ROWS = [f"catalog.{name}" for name in ("features", "photos", "products", "related", "skus", "styles")]
STOCK_LOG = ["catalog_log.stock_log", "catalog_log.stock_rejects"]
STOCK_POSITIONS = ["catalog_log.stock_applied", "catalog_log.stock_head"]
READ_BY_WRITER = [
    *READ_BY_ALL,
    *ROWS,
    *OF_WRITES,
    *STOCK_LOG,
    *STOCK_POSITIONS,
    "catalog_meta.api_keys",
    "catalog_meta.declarations",
    "catalog_meta.hook_secrets",
    "catalog_meta.hooks",
    "catalog_meta.migrations",
]
HIDDEN = ["catalog.hidden_documents", "catalog.shown_only", "catalog_meta.hidden_products"]
WRITTEN = [name for name in READ_BY_WRITER if name.startswith("catalog.") and name not in KEPT]


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("catalog_api", {"SELECT": READ_BY_API}),
        (
            "catalog_writer",
            {
                "SELECT": [*READ_BY_WRITER, *HIDDEN],
                "INSERT": [*WRITTEN, *HIDDEN, *KEPT, *OF_WRITES, "catalog_log.commits", *STOCK_LOG],
                "UPDATE": [*WRITTEN, *HIDDEN, "catalog_log.head", *STOCK_POSITIONS, "catalog_meta.hooks"],
                "DELETE": [*WRITTEN, "catalog.hidden_documents", "catalog_log.requests"],
            },
        ),
    ],
)
def test_a_role_has_only_the_rights_that_it_needs_on_what_is_or_was_served(
    database: Database, catalog: Catalog, role: str, expected: dict[str, list[str]]
) -> None:
    load(database, catalog)
    for step in (["copy", catalog.directory], ["index"], ["documents"]):
        assert run(database, *step).status == 0
    allowed = database.query(
        "SELECT privilege_type, table_schema || '.' || table_name FROM information_schema.table_privileges "
        "WHERE grantee IN (%s, 'PUBLIC') AND table_schema LIKE 'catalog%%' AND table_schema <> 'catalog_previous'",
        role,
    )
    assert sorted(allowed) == sorted((right, table) for right, tables in expected.items() for table in tables)


def test_the_api_role_reads_documents_while_a_load_is_in_staging(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    for step in (["copy", catalog.directory], ["index"], ["documents"]):
        assert run(database, *step).status == 0
    reader = Database(database.api, database.loader, database.api)
    assert reader.query("SELECT count(*) FROM catalog.product_documents") == [(3,)]
