"""Declared fields: which values they take, what a row without one has, and how they reach the replies."""

import json
from pathlib import Path

import pytest
from reading import Read, read_file
from support import Catalog, Database, load, run, served

from etl.declaration import read_declaration
from etl.rows import clean
from etl.tables import BY_NAME

FIELDS = {
    "products": {
        "brand": {"type": "text", "card": True},
        "weight_g": {"type": "number", "column": "Weight (g)"},
        "launched": {"type": "date", "invalid": "drop"},
        "vegan": {"type": "boolean", "card": True},
        "tags": {"type": "list"},
    },
    "styles": {"colour": {"type": "text", "column": "Colour Name"}},
    "skus": {"code": {"type": "text"}},
}
HEADER = "Weight (g),id,name,slogan,brand,description,category,default_price,launched,vegan,stock,tags\n"
PRODUCTS = (
    HEADER
    + '12.50,1,"A","a",Acme,"aa","Hats",140,2026-01-31,1,x,new|sale\n'
    + ',2,"B","b",,"bb","Hats",49.5,,,,\n'
    + '0,3,"C","c","Ömer ""&"" Co","cc","Hats",19.999,2026-01-31T09:30Z,false,,"a,b"\n'
)


def declare(catalog: Catalog) -> None:
    catalog.write("fields.json", json.dumps(FIELDS))
    catalog.write("product.csv", PRODUCTS)
    styles = "id,productId,name,Colour Name,sale_price,original_price,default_style\n"
    catalog.write(
        "styles.csv", styles + '1,1,"Red",Crimson,null,140,1\n2,1,"Blue",,100,140,0\n3,2,"Green",,null,49.5,0\n'
    )
    catalog.write("skus.csv", 'id,code,styleId,size,quantity\n2,AB-2,1,"M",5\n1,AB-1,1,"7.5",0\n3,,2,"One Size",9\n')


def read(folder: Path, field: object, value: str, more: str = "") -> Read:
    """Reads a product with a value of one field."""
    (folder / "fields.json").write_text(json.dumps({"products": {"f": field}}))
    path = folder / "product.csv"
    path.write_text(f'f,id,name,slogan,description,category,default_price\n{value},1,"A","a","aa","Hats",140\n{more}')
    declared = read_declaration(folder)
    assert declared is not None
    return read_file(path, "products", fields=declared.of(BY_NAME["products"]))


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("number", "12.50", "12.5"),
        ("number", "100", "100"),
        ("number", "1.000", "1"),
        ("number", "-0.0", "0"),
        ("number", "-0.250", "-0.25"),
        ("number", f"{'9' * 20}.{'0' * 17}1", f"{'9' * 20}.{'0' * 17}1"),
        ("number", '"7"', "7"),
        ("boolean", "0", "false"),
        ("boolean", "TRUE", "true"),
        ("date", "2024-02-29", '"2024-02-29"'),
        ("date", "2026-01-31T09:30:00.5+02:00", '"2026-01-31T09:30:00.5+02:00"'),
        ("text", '"a ""b"" \\ \t"', '"a \\"b\\" \\\\ \\t"'),
        ("text", '"null"', '"null"'),
        ("list", '"b| a ||b|a b"', '["b","a","a b"]'),
    ],
)
def test_a_value_is_json_as_postgresql_prints_it(tmp_path: Path, kind: str, value: str, expected: str) -> None:
    found = read(tmp_path, {"type": kind}, value)
    assert ([row["fields"] for row in found.rows], found.rejects) == ([f'{{"f":{expected}}}'], [])


@pytest.mark.parametrize("kind", ["text", "number", "boolean", "date", "list"])
@pytest.mark.parametrize("value", ["", "null", "NULL", '""', "\\N"])
def test_an_empty_value_is_no_member(tmp_path: Path, kind: str, value: str) -> None:
    found = read(tmp_path, {"type": kind}, value)
    assert ([row["fields"] for row in found.rows], found.repaired) == (["{}"], 0)


BAD = [
    ("number", "1e3", "not a decimal number such as 12.5"),
    ("number", "1,5".replace(",", ";"), "not a decimal number such as 12.5"),
    ("number", "1" * 21, "not a decimal number such as 12.5"),
    ("boolean", "yes", "not 0, 1, true or false"),
    ("date", "2026-02-29", "not a date such as 2026-01-31 or 2026-01-31T09:30:00Z"),
    ("date", "31.01.2026", "not a date such as 2026-01-31 or 2026-01-31T09:30:00Z"),
    ("date", "2026-01-31T24:00Z", "not a date such as 2026-01-31 or 2026-01-31T09:30:00Z"),
]


@pytest.mark.parametrize(("kind", "value", "why"), BAD)
def test_a_value_of_another_type_rejects_its_row(tmp_path: Path, kind: str, value: str, why: str) -> None:
    (reject,) = read(tmp_path, {"type": kind}, value).rejects
    assert (reject.reason, reject.detail) == ("bad_field", f"field.f is {value[:60]!r}, {why}")


@pytest.mark.parametrize(("kind", "value", "_why"), BAD)
def test_a_value_that_may_be_dropped_is_a_repair(tmp_path: Path, kind: str, value: str, _why: str) -> None:
    found = read(tmp_path, {"type": kind, "invalid": "drop"}, value)
    assert [row["fields"] for row in found.rows] == ["{}"]
    assert [(each.rule, each.columns, each.before, each.after) for each in found.repairs] == [
        ("dropped_value", "field.f", value, "null")
    ]


def test_zeros_before_a_number_are_a_repair(tmp_path: Path) -> None:
    found = read(tmp_path, {"type": "number"}, "007.50")
    assert [row["fields"] for row in found.rows] == ['{"f":7.5}']
    assert [each.rule for each in found.repairs] == ["leading_zeros"]


@pytest.mark.parametrize("neighbour", ["", '"a",2, "B" ,"b","bb","Hats",1\n'], ids=["fast", "careful"])
def test_the_fields_of_a_row_have_at_most_16_kb(tmp_path: Path, neighbour: str) -> None:
    most = (16 << 10) - len('{"f":""}')
    assert len(read(tmp_path, {"type": "text"}, "x" * most, neighbour).rejects) == 0
    (reject,) = read(tmp_path, {"type": "text"}, "x" * (most + 1), neighbour).rejects
    assert (reject.reason, reject.detail) == ("bad_field", "the fields of the row have 16385 bytes, more than 16384")


def test_empty_fields_and_ignored_columns_keep_the_fast_path(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    declare(catalog)
    declared = read_declaration(catalog.directory)
    assert declared is not None
    monkeypatch.setattr(clean, "CarefulBlock", None)
    found = read_file(catalog.directory / "product.csv", "products", fields=declared.of(BY_NAME["products"]))
    assert [row["fields"] for row in found.rows] == [
        '{"brand":"Acme","weight_g":12.5,"launched":"2026-01-31","vegan":true,"tags":["new","sale"]}',
        "{}",
        '{"brand":"Ömer \\"&\\" Co","weight_g":0,"launched":"2026-01-31T09:30Z","vegan":false,"tags":["a,b"]}',
    ]


def test_a_load_has_its_declaration_and_its_fields_in_documents_and_cards(database: Database, catalog: Catalog) -> None:
    declare(catalog)
    assert load(database, catalog).status == 0
    live = "SELECT id FROM catalog_meta.loads WHERE state = 'live'"
    ((content,),) = database.query(f"SELECT content::text FROM catalog_meta.declarations WHERE load_id = ({live})")
    declared = read_declaration(catalog.directory)
    assert declared is not None and content == declared.content
    assert database.query("SELECT fields FROM catalog.product_documents ORDER BY id")[1:] == [
        ("{}",),
        ('{"brand":"Ömer \\"&\\" Co","weight_g":0,"launched":"2026-01-31T09:30Z","vegan":false,"tags":["a,b"]}',),
    ]
    assert database.query("SELECT fields FROM catalog.cards ORDER BY id") == [
        ('{"brand":"Acme","vegan":true}',),
        ("{}",),
        ('{"brand":"Ömer \\"&\\" Co","vegan":false}',),
    ]
    ((body,),) = database.query("SELECT body FROM catalog.styles_documents WHERE id = 1")
    assert body.endswith('"3":{"quantity":9,"size":"One Size","fields":{}}},"fields":{}}]}')
    assert '"1":{"quantity":0,"size":"7.5","fields":{"code":"AB-1"}}' in body
    assert '"fields":{"code":"AB-2"}}},"fields":{"colour":"Crimson"}},' in body
    ((none,),) = database.query("SELECT body FROM catalog.styles_documents WHERE id = 2")
    assert none.endswith('"skus":{"null":{"quantity":null,"size":null}},"fields":{}}]}')
    assert run(database, "verify", "--served").status == 0


def test_a_load_without_a_declaration_has_no_fields(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog, "--again").status == 0
    tables = ("products", "styles", "skus", "product_documents", "cards")
    for table in tables:
        assert database.query(f"SELECT count(*), count(fields) FROM catalog.{table}")[0][1] == 0
    assert "fields" not in str(served(database)) + str(database.query("SELECT body FROM catalog.styles_documents"))


def test_a_reload_with_another_value_moves_the_time_of_its_product_alone(database: Database, catalog: Catalog) -> None:
    declare(catalog)
    load(database, catalog, "--again")
    times = "SELECT id, updated_at FROM catalog.product_documents ORDER BY id"
    before = dict(database.query(times))
    catalog.write("skus.csv", 'id,code,styleId,size,quantity\n2,AB-2,1,"M",5\n1,AB-9,1,"7.5",0\n3,,2,"One Size",9\n')
    assert ": 0 products added, 1 changed, 0 restocked, 0 removed" in load(database, catalog).stderr
    after = dict(database.query(times))
    assert [id_ for id_ in before if before[id_] != after[id_]] == [1]


def test_rows_that_name_no_fields_have_the_empty_object(database: Database, catalog: Catalog) -> None:
    declare(catalog)
    load(database, catalog, "--again")
    database.execute("INSERT INTO catalog.skus (id, style_id, size, quantity) VALUES (9, 2, 'S', 1)")
    assert database.query("SELECT fields::text FROM catalog.skus WHERE id = 9") == [("{}",)]


def test_a_load_by_an_earlier_release_gets_the_columns_when_it_is_served(database: Database, catalog: Catalog) -> None:
    """Its tables lack them; the trigger of migration 016 adds them in the transaction that serves it."""
    for step in (["copy", catalog.directory], ["index"], ["documents"], ["search"], ["verify"]):
        assert run(database, *step).status == 0
    tables = ("products", "styles", "skus", "product_documents", "cards", "loaded_products")
    for table in tables:
        database.execute(f"ALTER TABLE catalog_staging.{table} DROP COLUMN fields")
    database.execute(
        "DROP SCHEMA catalog CASCADE; ALTER SCHEMA catalog_staging RENAME TO catalog; "
        "SELECT catalog_meta.bump_version((SELECT max(id) FROM catalog_meta.loads))"
    )
    for table in tables:
        assert database.query(f"SELECT count(fields) FROM catalog.{table}") == [(0,)]
