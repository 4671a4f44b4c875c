"""Exports: the six files as they are served, which a load takes back without a change."""

import hashlib
import json
from contextlib import AbstractContextManager
from pathlib import Path

import psycopg
import pytest
from support import Catalog, Database, load, run, run_process, served

from etl.manifest import MANIFEST
from etl.steps import export as step
from etl.tables import TABLES

HOSTILE = [
    "",
    " ",
    " space around ",
    "null",
    "\\N",
    'a "quoted" word, and a comma',
    'ends with a backslash and a quote\\"',
    '\n1,2,"3",4\n',
    'two",\n1,"a","b","c","d",1\n',
    "CR\rLF\r\nend",
    "\ufeffBOM, \u00a0no-break\u2028line",
    "=1+1\t👟",
]
"""Texts that a careless file would change."""


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    return tmp_path / "exported"


def export(database: Database, directory: Path, *arguments: object) -> dict[str, object]:
    done = run(database, "export", directory, *arguments)
    assert done.status == 0, done.stderr
    found = json.loads((directory / MANIFEST).read_text())
    assert isinstance(found, dict)
    return found


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_an_export_has_the_files_that_were_loaded(database: Database, catalog: Catalog, exported: Path) -> None:
    assert load(database, catalog).status == 0
    manifest = export(database, exported)
    files = contents(exported)
    assert files["product.csv"] == (
        b"id,name,slogan,description,category,default_price\n"
        b'1,"A","a","aa","Hats",140\n2,"B","b","bb","Hats",49.5\n3,"C","c","cc","Hats",19.999\n'
    )
    assert files["styles.csv"] == (
        b"id,productId,name,sale_price,original_price,default_style\n"
        b'1,1,"Red",null,140,1\n2,1,"Blue",100,140,0\n3,2,"Green",null,49.5,0\n'
    )
    assert files["photos.csv"] == b'id,styleId,url,thumbnail_url\n1,1,"u2","t2"\n2,1,"u1","t1"\n3,2,"u3","t3"\n'
    assert files["skus.csv"] == b'id,styleId,size,quantity\n1,1,"7.5",0\n2,1,"M",5\n3,2,"One Size",9\n'
    assert files["features.csv"] == b'id,product_id,feature,value\n1,1,"Fit","Slim"\n2,1,"UV",null\n'
    assert files["related.csv"] == b"id,current_product_id,related_product_id\n1,1,3\n2,1,2\n3,1,3\n4,1,1\n"
    [(cursor, version)] = database.query(
        "SELECT era || '.' || seq, version || '-' || (extract(epoch FROM changed_at) * 1000000)::bigint "
        "FROM catalog_log.head, catalog_meta.data_version"
    )
    described = {"kind": "export", "cursor": cursor, "catalog_version": version, "campus": "hr-lax", "language": "en"}
    assert manifest == described | {
        "hidden": [],
        "files": {
            table.file: {
                "rows": len(files[table.file].splitlines()) - 1,
                "bytes": len(files[table.file]),
                "sha256": hashlib.sha256(files[table.file]).hexdigest(),
            }
            for table in TABLES
        },
    }


def test_an_export_reports_its_progress_and_the_next_command(
    database: Database, catalog: Catalog, exported: Path
) -> None:
    assert load(database, catalog, "--again").status == 0
    *progress, last = run(database, "export", exported).stderr.splitlines()
    assert "product.csv: 100 %, 3 rows, done" in progress
    cursor = json.loads((exported / MANIFEST).read_text())["cursor"]
    assert last.startswith(f"3 products are in {exported}, as of {cursor}: load them with --as-of {cursor}, or")


def test_a_load_of_an_export_changes_nothing_and_needs_no_repair(
    database: Database, catalog: Catalog, exported: Path
) -> None:
    for at, text in enumerate(HOSTILE, start=10):
        quoted = '"' + text.replace('"', '""') + '"'
        catalog.append("product.csv", f"{at},{quoted},{quoted},{quoted},{quoted},0.10\n")
        catalog.append("styles.csv", f"{at},{at},{quoted},0,{'9' * 20}.5,1\n")
        catalog.append("photos.csv", f"{at},{at},{quoted},{quoted}\n")
        catalog.append("skus.csv", f"{at},{at},{quoted},2147483647\n")
        catalog.append("features.csv", f"{at},{at},{quoted},{quoted}\n")
    assert load(database, catalog, "--again").status == 0
    before, rows = database.hashes(), served(database)
    manifest = export(database, exported)
    loaded = run(database, "load", exported, "--as-of", manifest["cursor"])
    assert (loaded.status, database.query("SELECT count(*) FROM catalog_meta.repairs")) == (0, [(0,)])
    assert served(database) == rows  # times, too
    made = {name: hashes for name, hashes in database.hashes().items() if name not in ("photos", "features", "related")}
    assert made == {name: before[name] for name in made}
    again = export(database, exported.with_name("again"))
    assert again["files"] == manifest["files"]


def test_a_hidden_product_is_in_the_files_and_stays_hidden_in_another_database(
    database: Database, catalog: Catalog, exported: Path
) -> None:
    hide = "INSERT INTO catalog_meta.hidden_products (id, is_hidden) VALUES (3, true)"
    shown = "SELECT array_agg(id ORDER BY id), max(related) FILTER (WHERE id = 1) FROM catalog.product_documents"
    assert run(database, "prepare").status == 0
    database.execute(hide)
    assert load(database, catalog, "--again").status == 0
    assert database.query(shown) == [([1, 2], "[2,1]")]
    manifest = export(database, exported)
    assert (manifest["hidden"], manifest["files"]["product.csv"]["rows"]) == ([3], 3)
    assert run(database, "load", exported, "--as-of", manifest["cursor"]).status == 0
    assert database.query(shown) == [([1, 2], "[2,1]")]
    database.execute("DELETE FROM catalog_meta.hidden_products")  # as a database that never heard of it
    loaded = run(database, "load", exported, "--again")
    assert (loaded.status, database.query(shown)) == (0, [([1, 2], "[2,1]")])
    assert run(database, "verify", "--served").status == 0


def test_stock_that_was_sold_twice_is_exported_as_shown(database: Database, catalog: Catalog, exported: Path) -> None:
    assert load(database, catalog, "--again").status == 0
    database.execute("UPDATE catalog.skus SET quantity = -3 WHERE id = 3")
    export(database, exported)
    assert (exported / "skus.csv").read_text().endswith('3,2,"One Size",0\n')


def test_a_load_takes_campus_and_language_of_an_export(
    database: Database, catalog: Catalog, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load(database, catalog, "--again", "--campus", "hr-ams", "--language", "nl").status == 0
    assert [export(database, exported)[name] for name in ("campus", "language")] == ["hr-ams", "nl"]
    monkeypatch.setenv("CAMPUS", "hr-xx")
    monkeypatch.setenv("SEARCH_LANGUAGE", "fr")
    described = (
        "SELECT campus, convert_from(body, 'UTF8') FROM catalog_meta.loads, catalog.search_blobs "
        "WHERE state = 'live' AND name = 'language'"
    )
    assert run(database, "load", exported, "--again").status == 0
    assert database.query(described) == [("hr-ams", "nl")]
    assert run(database, "load", exported, "--again", "--campus", "hr-yy", "--language", "it").status == 0
    assert database.query(described) == [("hr-yy", "it")]


def test_an_export_without_a_search_names_no_language(database: Database, catalog: Catalog, exported: Path) -> None:
    assert load(database, catalog, "--again", "--no-search").status == 0
    assert export(database, exported)["language"] is None
    assert run(database, "load", exported, "--again").status == 0


def test_an_export_sees_one_moment_beside_loads(
    database: Database, catalog: Catalog, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load(database, catalog, "--again").status == 0
    before = export(database, exported)
    schema_now, asked, ended = step._schema_now, [], []

    def schema_after_loads(connection: psycopg.Connection, oid: int) -> AbstractContextManager[str]:
        asked.append(oid)
        if len(asked) == 2:  # the first file is written, and no statement of the second one has begun
            catalog.grow(10)
            ended.append(run_process(database, "load", catalog.directory))
            database.execute("UPDATE catalog.skus SET quantity = 77; UPDATE catalog_previous.skus SET quantity = 78")
            ended.append(run_process(database, "load", catalog.directory, "--again"))
        return schema_now(connection, oid)

    monkeypatch.setattr(step, "_schema_now", schema_after_loads)
    during = export(database, exported, "--jobs", 1)
    assert [done.status for done in ended] == [0, 1]
    assert "another session still reads catalog_previous" in ended[1].last_line
    assert during == before
    assert run(database, "swap").status == 0


def test_nothing_is_exported_where_nothing_is_served(database: Database, exported: Path) -> None:
    database.execute("DROP SCHEMA IF EXISTS catalog CASCADE")
    refused = run(database, "export", exported)
    assert (refused.status, refused.last_line) == (2, "refused: nothing is served: run `load DIR` first")
    assert list(exported.parent.glob("exported*")) == []
