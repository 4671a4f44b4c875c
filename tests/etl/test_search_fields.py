"""Declared fields in the search: words, sets and scales are what the files say, by an oracle of its own."""

import json
import os
import random
import subprocess
from pathlib import Path

import pytest
from search_oracle import expected, read_products, read_search
from support import ROOT, Catalog, Database, load, run

_FIELDS = {
    "products": {
        "brand": {"type": "text", "facet": True, "search": "attribute", "column": "Brand Name"},
        "model": {"type": "text", "search": "name"},
        "weight_g": {"type": "number", "facet": True, "sort": True},
        "rating": {"type": "number", "sort": True},
        "unused": {"type": "number", "sort": True},
        "launched": {"type": "date", "facet": True},
        "vegan": {"type": "boolean", "facet": True},
        "tags": {"type": "list", "separator": ";", "facet": True, "search": "text"},
        "note": {"type": "text"},
    },
    "styles": {"width": {"type": "number", "facet": True}, "colour": {"type": "text", "facet": True}},
    "skus": {
        "packed": {"type": "date", "facet": True},
        "gtin": {"type": "text", "facet": True, "search": "text"},
    },
}
_NUMBERS = ["", "0", "1", "10", "9.5", "9.50", "-3", "0.000001", "99999999999999999999.999999999999999999"]
_DATES = [
    "",
    "2026-01-31",
    "2026-01-31T00:00:00Z",
    "2026-01-31T01:00+01:00",
    "2026-01-31T23:59:59.999999999",
    "2026-01-31T23:30:00.5-16:45",
    "0001-01-01",
    "9999-12-31T23:59:59Z",
]
_TEXTS = {
    "Brand Name": ["", "Acme", "acme", "Größe=1%", "b" * 201],
    "model": ["", "X-100", "服装"],
    "weight_g": _NUMBERS,
    "rating": _NUMBERS,
    "unused": [""],
    "launched": _DATES,
    "vegan": ["", "0", "1", "true"],
    "tags": ["", "new;sale", "sale;;new;sale", 'Rain "coat"', ";"],
    "note": ["hidden words"],
    "width": _NUMBERS,
    "colour": ["", "Dark green"],
    "packed": _DATES,
    "gtin": ["", "4006381333931", "AB-1"],
}


def _rows(columns: list[str], rows: list[list[str]]) -> str:
    return "".join(",".join(row) + "\n" for row in [columns, *rows])


def declare(catalog: Catalog, products: int, seed: int) -> None:
    """Writes a catalog with random values of the fields; values repeat, and some products have none."""
    pick = random.Random(seed)

    def own(table: str) -> tuple[list[str], list[str]]:
        columns = [str(members.get("column", name)) for name, members in _FIELDS[table].items()]
        return columns, ['"' + pick.choice(_TEXTS[column]).replace('"', '""') + '"' for column in columns]

    product_rows, style_rows, sku_rows = [], [], []
    for at in range(1, products + 1):
        product_rows.append([f"{3 * at}", f'"Name {at % 7}"', '"s"', '"d"', '"Hats"', "10", *own("products")[1]])
        for style in range(2 * at, 2 * at + pick.randrange(3)):
            style_rows.append([f"{style}", f"{3 * at}", '"Red"', "null", "5", "1", *own("styles")[1]])
            sku_rows += [
                [f"{5 * style + n}", f"{style}", '"M"', f"{n}", *own("skus")[1]] for n in range(pick.randrange(3))
            ]
    catalog.write("fields.json", json.dumps(_FIELDS))
    product_columns = ["id", "name", "slogan", "description", "category", "default_price", *own("products")[0]]
    style_columns = ["id", "productId", "name", "sale_price", "original_price", "default_style", *own("styles")[0]]
    catalog.write("product.csv", _rows(product_columns, product_rows))
    catalog.write("styles.csv", _rows(style_columns, style_rows))
    catalog.write("skus.csv", _rows(["id", "styleId", "size", "quantity", *own("skus")[0]], sku_rows))
    for name in ("photos", "related", "features"):
        file = catalog.directory / f"{name}.csv"
        file.write_text(file.read_text().splitlines()[0] + "\n")


@pytest.mark.parametrize(("products", "seed"), [(1, 1), (60, 2)])
def test_words_sets_and_scales_of_fields_are_what_the_files_say(
    database: Database, catalog: Catalog, products: int, seed: int
) -> None:
    declare(catalog, products, seed)
    done = load(database, catalog, "--max-reject", 0, "--again")
    assert done.status == 0, done.stderr
    assert read_search(database) == expected(read_products(catalog.directory), directory=catalog.directory)
    assert run(database, "verify", "--served").status == 0


@pytest.mark.long
@pytest.mark.parametrize("jobs", [1, 2])
def test_many_products_have_the_words_sets_and_scales_of_their_fields(
    database: Database, catalog: Catalog, jobs: int
) -> None:
    declare(catalog, 9000, jobs)
    assert load(database, catalog, "--max-reject", 0, "--again", "--jobs", jobs).status == 0
    assert read_search(database) == expected(read_products(catalog.directory), directory=catalog.directory)


@pytest.mark.long
def test_a_facet_of_too_many_values_is_told(database: Database, catalog: Catalog) -> None:
    columns = "id,name,slogan,description,category,default_price,code,few\n"
    rows = "".join(f'{at},"A","a","aa","Hats",1,C{at},F{at % 9}\n' for at in range(1, 10_002))
    catalog.write(
        "fields.json", '{"products":{"code":{"type":"text","facet":true},"few":{"type":"text","facet":true}}}'
    )
    catalog.write("product.csv", columns + rows)
    done = load(database, catalog, "--again")
    assert (done.status, "field.code has 10,001 different values" in done.stderr, "field.few" in done.stderr) == (
        0,
        True,
        False,
    )


@pytest.mark.long
def test_generated_fields_are_searched_as_their_files_say(database: Database, tmp_path: Path) -> None:
    words = [os.environ["TEST_NODE"], ROOT / "scripts/generate", tmp_path / "csv", "--products", "3000", "--fields"]
    subprocess.run(words, check=True, capture_output=True)
    assert run(database, "load", tmp_path / "csv", "--again").status == 0
    assert run(database, "verify", "--served").status == 0


@pytest.mark.parametrize(
    "defect",
    [
        "UPDATE {s} SET body = overlay(body PLACING substr(body, 5, 4) FROM 1) WHERE name = 'order.field.weight_g'",
        "UPDATE {s} SET body = substr(body, 5, 4) || substr(body, 1, 4) || substr(body, 9) "
        "WHERE name = 'order.field.width'",
        "UPDATE {s} SET body = substr(body, 5) WHERE name = 'order.field.packed'",
        "UPDATE {s} SET body = convert_to(replace(convert_from(body, 'UTF8'), '9.5', '9.6'), 'UTF8') "
        "WHERE name = 'values.field.weight_g'",
        "UPDATE {s} SET body = '' WHERE name IN ('order.field.launched', 'values.field.launched')",
    ],
)
def test_a_defect_of_a_scale_is_found(database: Database, catalog: Catalog, defect: str) -> None:
    declare(catalog, 40, 3)
    for step in (["prepare"], ["copy", catalog.directory], ["index"], ["documents"], ["search"]):
        assert run(database, *step).status == 0
    database.execute(defect.format(s="catalog_staging.search_blobs"))
    done = run(database, "verify")
    assert (done.status, "FAIL the search has each declared number and date" in done.stderr) == (1, True), done.stderr


@pytest.mark.parametrize("name", ["fields", "values.field.weight_g", "order.field.unused"])
def test_a_missing_list_of_a_field_is_found(database: Database, catalog: Catalog, name: str) -> None:
    declare(catalog, 5, 4)
    for step in (["prepare"], ["copy", catalog.directory], ["index"], ["documents"], ["search"]):
        assert run(database, *step).status == 0
    database.execute(f"DELETE FROM catalog_staging.search_blobs WHERE name = '{name}'")
    done = run(database, "verify")
    assert (done.status, "FAIL every set of the search has as many products" in done.stderr) == (1, True), done.stderr


@pytest.mark.parametrize("key", ["f:field.brand=Acme", "f:field.vegan=true", "n:100", "m:acme", "a:sale"])
def test_a_missing_set_of_a_field_is_found(database: Database, catalog: Catalog, key: str) -> None:
    declare(catalog, 60, 5)
    for step in (["prepare"], ["copy", catalog.directory], ["index"], ["documents"], ["search"]):
        assert run(database, *step).status == 0
    assert run(database, "verify").status == 0
    database.execute(
        f"DELETE FROM catalog_staging.search_sets WHERE key = '{key}';"
        "UPDATE catalog_meta.loads SET state = 'running', step = 'search' WHERE state <> 'live'"
    )
    done = run(database, "verify")
    assert (done.status, "FAIL a sample of products" in done.stderr) == (1, True), done.stderr
