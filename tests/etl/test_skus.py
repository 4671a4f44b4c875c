"""Skus as a worker reads them, against the CSV files."""

import csv
import json
import os
import random
import subprocess
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

import psycopg
from support import ROOT, Catalog, Database, load, run

_QUERY = (ROOT / "server/store/queries/skus.sql").read_text()
_SEED = 20261128


def read_skus(database: Database, ids: list[int], include: str = "") -> list[dict[str, object] | None]:
    with psycopg.connect(database.api) as api, psycopg.RawCursor(api) as cursor:
        row = cursor.execute(_QUERY, [[include], ids]).fetchone()
    assert row is not None
    skus: list[dict[str, object] | None] = json.loads(row[0])
    return skus


def _rows(directory: Path, file: str) -> list[dict[str, str]]:
    with (directory / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, skipinitialspace=True))


def _price(text: str) -> str:
    price = Decimal(text)
    return f"{price:.{max(2, -int(price.as_tuple().exponent))}f}"


def expected_skus(directory: Path) -> dict[int, dict[str, object]]:
    products = {row["id"]: row for row in _rows(directory, "product.csv")}
    styles = {row["id"]: row for row in _rows(directory, "styles.csv")}
    thumbnails: dict[str, str] = {}
    for row in _rows(directory, "photos.csv"):
        thumbnails.setdefault(row["styleId"], row["thumbnail_url"])
    skus: dict[int, dict[str, object]] = {}
    for row in _rows(directory, "skus.csv"):
        style = styles[row["styleId"]]
        is_priced = style["sale_price"] != "null"
        skus[int(row["id"])] = {
            "id": int(row["id"]),
            "product_id": int(style["productId"]),
            "style_id": int(style["id"]),
            "product": products[style["productId"]]["name"],
            "style": style["name"],
            "size": row["size"],
            "quantity": int(row["quantity"]),
            "price": _price(style["sale_price" if is_priced else "original_price"]),
            "original_price": _price(style["original_price"]),
            "on_sale": is_priced and Decimal(style["sale_price"]) < Decimal(style["original_price"]),
            "thumbnail_url": thumbnails.get(row["styleId"]),
        }
    return skus


def test_two_thousand_random_skus_are_what_the_files_say(database: Database, tmp_path: Path) -> None:
    generator = [os.environ["TEST_NODE"], ROOT / "scripts/generate", tmp_path / "csv", "--products", "600"]
    subprocess.run(generator, check=True, capture_output=True)
    assert run(database, "load", tmp_path / "csv", "--no-search").status == 0
    wanted = expected_skus(tmp_path / "csv")
    chance = random.Random(_SEED)
    ids = [chance.randint(1, max(wanted) + 50) for _ in range(2000)]
    read = read_skus(database, ids)
    assert read == [wanted.get(sku) for sku in ids]
    assert next(list(sku) for sku in read if sku) == list(wanted[min(wanted)])  # the order of the keys
    assert sum(sku is not None for sku in read) > 1000
    cards = {
        card["id"]: card
        for (card,) in database.query("SELECT (head || ',\"offer\":' || offer || '}')::jsonb FROM catalog.cards")
    }
    for sku in read_skus(database, ids, "card"):
        assert sku is None or sku["card"] == cards[sku["product_id"]]


def test_the_view_of_skus_is_built_where_an_earlier_release_loaded_what_is_served(
    database: Database, catalog: Catalog
) -> None:
    wanted = list(expected_skus(catalog.directory).values())
    ids = [sku["id"] for sku in wanted]
    load(database, catalog)
    database.execute("DROP VIEW catalog.sku_replies; DROP INDEX catalog.skus_by_id")
    assert run(database, "writable").status == 0
    assert read_skus(database, ids) == wanted
    database.execute("DROP VIEW catalog.sku_replies")
    assert load(database, catalog, "--again").status == 0
    assert run(database, "unswap").status == 0
    assert read_skus(database, ids) == wanted


def test_a_read_of_skus_looks_up_each_by_its_key(database: Database, catalog: Catalog) -> None:
    catalog.grow(2000)
    load(database, catalog)
    with psycopg.connect(database.api, options="-c plan_cache_mode=force_generic_plan") as api:
        api.execute(f"PREPARE skus (text[], int[]) AS {_QUERY}")
        plan = str(api.execute("EXPLAIN (FORMAT JSON) EXECUTE skus('{card}', '{1,2}')").fetchone())
    assert "Seq Scan" not in plan
    assert {"skus_by_id", "styles_by_id", "products_pkey", "photos_pkey", "cards_pkey"} <= set(plan.split("'"))


def test_two_thousand_random_codes_lead_to_the_skus_of_the_files(database: Database, tmp_path: Path) -> None:
    generator = [os.environ["TEST_NODE"], ROOT / "scripts/generate", tmp_path / "csv", "--products", "600", "--fields"]
    subprocess.run(generator, check=True, capture_output=True)
    assert run(database, "load", tmp_path / "csv", "--no-search").status == 0
    query = (ROOT / "server/store/queries/skus_by_field.sql").read_text()
    chance = random.Random(_SEED)
    with psycopg.connect(database.api) as api, psycopg.RawCursor(api) as cursor:
        for field, column in (("code", "code"), ("gtin", "EAN")):
            wanted: dict[str, list[int]] = defaultdict(list)
            for row in _rows(tmp_path / "csv", "skus.csv"):
                if row[column]:
                    wanted[row[column]].append(int(row["id"]))
            for _ in range(50):
                values = [*chance.sample(list(wanted), 20), "nothing"]
                found = cursor.execute(query.replace("{field}", field), [[], json.dumps(values), 501]).fetchone()
                assert found is not None
                ids = sorted(sku for value in values for sku in wanted.get(value, []))
                assert ([sku["id"] for sku in json.loads(found[0])], found[1]) == (ids, len(ids))


def test_the_key_of_a_look_up_is_built_before_the_swap(database: Database, catalog: Catalog) -> None:
    catalog.write("fields.json", '{"skus": {"code": {"type": "text", "lookup": true}, "note": {"type": "text"}}}')
    long = "x" * 10_000
    catalog.write("skus.csv", f'id,styleId,size,quantity,code,note\n1,1,"M",5,{long},a\n2,1,"L",0,AB-1,b\n')
    for step in (["copy", catalog.directory], ["index"]):
        assert run(database, *step).status == 0
    keys = "SELECT indexname FROM pg_indexes WHERE schemaname = 'catalog_staging' AND indexname LIKE 'skus_by_field%'"
    assert database.query(keys) == [("skus_by_field_code",)]
