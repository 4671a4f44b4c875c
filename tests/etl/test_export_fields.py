"""Exports of a catalog with fields of its own: their columns, and fields.json."""

import json
from pathlib import Path

import pytest
from support import Catalog, Database, load, run

DECLARED = {
    "products": {
        "material": {"type": "text", "column": 'Material, "outer"', "facet": True, "card": True},
        "weight": {"type": "number", "sort": True},
        "tags": {"type": "list", "separator": "\n;"},
    },
    "styles": {"new": {"type": "boolean", "column": "is {texts}"}, "since": {"type": "date", "invalid": "drop"}},
    "skus": {"code": {"type": "text", "lookup": True, "column": "x" * 70}},
}
TEXTS = [" space ", "null", '\\N "quoted", and a comma', "two\nlines", "'it''s' 100 % {texts}"]


@pytest.fixture
def declared(catalog: Catalog) -> Catalog:
    """The sound files with columns for fields."""
    texts = ['"' + text.replace('"', '""') + '"' for text in TEXTS]
    catalog.write("fields.json", json.dumps(DECLARED))
    header = 'id,name,slogan,description,category,default_price,"Material, ""outer""",weight,tags\n'
    products = [
        f'1,"A","a","aa","Hats",140,{texts[0]},0.50,"red\n;blue\n;red"\n',
        f'2,"B","b","bb","Hats",49.5,{texts[1]},,\n',
        f'3,"C","c","cc","Hats",1,{texts[2]},-12345678901234567890.125,"one"\n',
        f'4,"D","d","dd","Hats",1,{texts[3]},null,null\n',
        f'5,"E","e","ee","Hats",1,{texts[4]},7,\n',
        '6,"F","f","ff","Hats",1,,,\n',
    ]
    catalog.write("product.csv", header + "".join(products))
    catalog.write(
        "styles.csv",
        "id,productId,name,sale_price,original_price,default_style,is {texts},since\n"
        '1,1,"Red",null,140,1,true,2026-01-31\n2,1,"Blue",100,140,0,0,\n'
        '3,2,"Green",null,49.5,0,,2026-01-31T09:30:00.5Z\n',
    )
    catalog.write("skus.csv", f'id,styleId,size,quantity,{"x" * 70}\n1,1,"M",5,"AB-1"\n2,1,"L",0,\n3,2,"S",9,"0012"\n')
    return catalog


_BLOBS = "SELECT name, md5(body) FROM catalog.search_blobs WHERE name <> 'fields' ORDER BY name"
"""The blob of fields has names of columns, which an export may cut."""


def test_an_export_takes_fields_out_and_a_load_takes_them_back(
    database: Database, declared: Catalog, tmp_path: Path
) -> None:
    assert load(database, declared).status == 0
    exported, again = tmp_path / "exported", tmp_path / "again"
    before, blobs = database.hashes(), database.query(_BLOBS)
    assert run(database, "export", exported).status == 0
    manifest = json.loads((exported / "manifest.json").read_text())
    done = run(database, "load", exported, "--as-of", manifest["cursor"])
    assert (done.status, database.query("SELECT count(*) FROM catalog_meta.repairs WHERE load_id > 1")) == (0, [(0,)])
    after = database.hashes()
    tables = [table for table in before if table not in ("photos", "features", "related", "search_blobs")]
    assert {table: after[table] for table in tables} == {table: before[table] for table in tables}
    assert database.query(_BLOBS) == blobs
    assert run(database, "export", again).status == 0
    for file in [*manifest["files"], "fields.json"]:
        assert (again / file).read_bytes() == (exported / file).read_bytes()


def test_the_declaration_of_an_export_names_the_columns_of_its_files(
    database: Database, declared: Catalog, tmp_path: Path
) -> None:
    assert load(database, declared, "--again").status == 0
    assert run(database, "export", tmp_path / "exported").status == 0
    content = json.loads((tmp_path / "exported/fields.json").read_text())
    assert content["products"]["tags"] == {
        "type": "list",
        "column": "tags",
        "separator": "\n;",
        "facet": False,
        "card": False,
        "sort": False,
        "lookup": False,
        "invalid": "reject",
    }
    assert content["skus"]["code"]["column"] == "field.code"
    files = {file: (tmp_path / "exported" / file).read_text().splitlines() for file in ("product.csv", "styles.csv")}
    assert files["product.csv"][:3] == [
        'id,name,slogan,description,category,default_price,"Material, ""outer""",weight,tags',
        '1,"A","a","aa","Hats",140," space ",0.5,"red',
        ';blue"',
    ]
    assert files["styles.csv"][1] == '1,1,"Red",null,140,1,true,2026-01-31'


def test_an_export_without_fields_replaces_the_declaration_of_one_with_some(
    database: Database, declared: Catalog, tmp_path: Path
) -> None:
    assert load(database, declared, "--again").status == 0
    exported = tmp_path / "exported"
    assert run(database, "export", exported).status == 0
    assert load(database, Catalog(tmp_path / "plain")).status == 0
    assert run(database, "export", exported).status == 0
    assert sorted(path.suffix for path in exported.iterdir()) == [".csv"] * 6 + [".json"]
