"""Parts: which files and rows are taken, and what would change. A writer is not needed for that."""

from pathlib import Path

import psycopg
import pytest
from support import Catalog, Database, Run, load, run

from etl.database import only_upsert

KEY = {"WRITER_KEY": "ck_0123456789ab_secret", "WRITER_URL": "http://127.0.0.1:9"}


@pytest.fixture
def part(tmp_path: Path) -> Path:
    directory = tmp_path / "part"
    directory.mkdir()
    return directory


def upsert(database: Database, part: Path, *arguments: object, **files: str) -> Run:
    """Compares a part of these files (by name, without .csv)."""
    for name, text in files.items():
        (part / f"{name}.csv").write_text(text)
    return run(
        database,
        "upsert",
        part,
        "--dry-run",
        "--rejects",
        part.parent / "rejects",
        "--max-reject",
        100,
        *arguments,
    )


def counts(done: Run) -> dict[str, list[str]]:
    """By file: read, created, changed, unchanged, repaired, rejected, and why."""
    rows = [
        [cell.strip() for cell in line.split("│")[1:-1]] for line in done.stdout.splitlines() if line.startswith("│")
    ]
    for _, read, created, changed, unchanged, _, rejected, *_ in rows:
        assert int(read) == int(created) + int(changed) + int(unchanged) + int(rejected)
    return {row[0]: row[1:] for row in rows}


def refused(part: Path, file: str) -> list[str]:
    """Line, reason, detail and row of each reject."""
    lines = (part.parent / f"rejects/{file}.rejects.csv").read_text().splitlines()[1:]
    return [line.removeprefix(f"{file}.csv,") for line in lines]


@pytest.fixture(autouse=True)
def _served(database: Database, catalog: Catalog) -> None:
    if database.query("SELECT to_regnamespace('catalog')") == [(None,)]:
        assert load(database, catalog).status == 0


def test_a_part_reports_what_would_change_and_changes_nothing(database: Database, part: Path) -> None:
    before = database.hashes()
    done = upsert(
        database,
        part,
        product="id,name\n1,A\n2,Bee\n",
        prices="style_id,original_price,sale_price\n1,140.0,null\n2,150,\n",
        quantities="sku_id,quantity\n1,0\n2,7\n3,09\n",
    )
    assert done.status == 0, done.stderr
    assert counts(done) == {
        "product.csv": ["2", "0", "1", "1", "0", "0", "", ""],
        "prices.csv": ["2", "0", "1", "1", "0", "0", "", ""],
        "quantities.csv": ["3", "0", "1", "2", "1", "0", "leading_zeros 1", ""],
    }
    assert 'product 1: {"styles": {"2": {"sale_price": null, "original_price": "150.00"}}}' in done.stdout
    assert 'product 2: {"name": "Bee"}' in done.stdout
    assert "sku 2: quantity 5 → 7" in done.stdout
    assert database.hashes() == before
    assert database.query("SELECT to_regnamespace('catalog_upsert'), to_regnamespace('catalog_upsert_dry')") == [
        (None, None)
    ]


def test_rows_of_unknown_products_styles_and_skus_are_rejected_by_name(database: Database, part: Path) -> None:
    done = upsert(
        database,
        part,
        styles='id,productId,name,sale_price,original_price,default_style\n90,99,"x",1,1,0\n91,1,"x",1,1,0\n1,2,"Red",1,1,1\n',
        skus='id,styleId,size,quantity\n900,90,"S",1\n901,91,"S",1\n1,3,"S",1\n902,91,"S",x\n',
        photos='id,styleId,url,thumbnail_url\n1,90,"https://u","https://t"\n2,1,"u1","t1"\n3,1,"javascript:1","https://t"\n',
        related="id,current_product_id,related_product_id\n1,1,99\n2,99,1\n3,1,0\n4,1,3\n",
        features='id,product_id,feature,value\n1,99,"x",null\n',
        prices="style_id,sale_price\n92,1\n91,2\n",
        quantities="sku_id,quantity\n900,1\n901,5\n903,1\n3,-1\n2,1\n2,2\n",
    )
    assert done.status == 0, done.stderr
    assert {file: row[-1] for file, row in counts(done).items()} == {
        "styles.csv": "duplicate 1, orphan 1",
        "skus.csv": "bad_quantity 1, duplicate 1, orphan 1",
        "photos.csv": "bad_text 1, orphan 1",
        "related.csv": "orphan 3",
        "features.csv": "orphan 1",
        "prices.csv": "orphan 1",
        "quantities.csv": "bad_quantity 1, duplicate 1, orphan 2",
    }
    assert refused(part, "styles") == [
        '2,orphan,product_id 99 is not loaded,"90,99,""x"",1,1,0"',
        '4,duplicate,"style 1 is of product 1, and a style does not move to another","1,2,""Red"",1,1,1"',
    ]
    assert refused(part, "skus") == [
        '5,bad_quantity,quantity is \'x\',"902,91,""S"",x"',
        '2,orphan,style_id 90 is not loaded,"900,90,""S"",1"',
        '4,duplicate,"sku 1 is of product 1, and a sku does not move to another","1,3,""S"",1"',
    ]
    assert refused(part, "photos")[1:] == [
        '4,bad_text,a new URL begins with http:// or https://,"3,1,""javascript:1"",""https://t"""'
    ]


def test_what_is_new_needs_all_columns_and_an_id_of_files(database: Database, part: Path) -> None:
    done = upsert(
        database,
        part,
        product='id,name,slogan,description,category,default_price\n1500000001,"a","b","c","d",1\n1500000000,"a","b","c","d",1\n',
        styles='id,productId,name\n80,1,"new"\n',
        skus="id,size\n80,S\n",
    )
    assert counts(done)["product.csv"] == ["2", "1", "0", "0", "0", "1", "", "bad_id 1"]
    assert refused(part, "styles") == [
        '2,missing_fields,"there is no style 80, and a new one needs all columns","80,1,""new"""'
    ]
    assert counts(done)["skus.csv"][-1] == "missing_fields 1"


def test_a_file_above_the_ceiling_fails_the_part(database: Database, part: Path) -> None:
    (part / "quantities.csv").write_text("sku_id,quantity\n1,3\n99,1\n")
    done = run(database, "upsert", part, "--dry-run")
    assert (
        done.status,
        "quantities.csv: 1 of 2 rows rejected, more than 1 %" in done.last_line,
    ) == (1, True)


@pytest.mark.parametrize(
    ("rejected", "options", "status"),
    [
        ("x,1,Fit,Slim", [], 1),
        ("x,1,Fit,Slim", ["--max-reject", 2], 0),
        ("900,99,Fit,Slim", [], 0),
        ("1,1,Care,Cold", [], 1),
    ],
    ids=["bad id", "typed", "orphan", "duplicate"],
)
def test_a_list_that_lost_an_entry_to_a_reject_is_refused(
    database: Database, part: Path, rejected: str, options: list[object], status: int
) -> None:
    sound = "".join(f"{n},1,Fit,Slim\n" for n in range(1, 200))
    (part / "features.csv").write_text(f"id,product_id,feature,value\n{sound}{rejected}\n")
    done = run(database, "upsert", part, "--dry-run", "--rejects", part.parent / "rejects", *options)
    assert done.status == status, done.stderr
    assert ("the lists that they belong to would lose entries" in done.stderr) == (status == 1)


def test_columns_that_nothing_declares_are_named(database: Database, part: Path) -> None:
    done = upsert(database, part, product="id,name,campaign\n1,A,x\n")
    assert (done.status, "product.csv: columns that nothing declares are left out: campaign" in done.stderr) == (
        0,
        True,
    )


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "part has no file of a catalog: a part may have product.csv, styles.csv,"),
        (
            {"sku.csv": "id\n1\n"},
            "sku.csv is no file of a catalog: did you mean skus.csv? A part may have",
        ),
        ({"skus.csv.gz": "x"}, "skus.csv.gz is no file of a catalog"),
        (
            {"product.csv": "name,slogan\nx,y\n"},
            "product.csv: the header lacks id, which says what each row changes",
        ),
        ({"prices.csv": "original_price\n1\n"}, "prices.csv: the header lacks styleid"),
        (
            {"quantities.csv": "sku_id\n1\n"},
            "quantities.csv: the header lacks quantity; expected skuid,quantity",
        ),
        (
            {"features.csv": "product_id,feature\n1,x\n"},
            "features.csv: the header lacks id, value",
        ),
        ({"skus.csv": ""}, "skus.csv is empty"),
        (
            {"prices.csv": "style_id,orignal_price,sale_price\n1,100,50\n"},
            "prices.csv has no column originalprice, but 'orignal_price': correct its name",
        ),
        (
            {"product.csv": "id,nmae,campaign\n1,Z,x\n"},
            "product.csv has no column name, but 'nmae': correct its name, or take the column out",
        ),
        (
            {
                "skus.csv": "id,size\n1,S\n",
                "fields.json": '{"skus": {"code": {"type": "text"}}}',
            },
            "fields.json declares other fields than the load that is served: take it out of the folder",
        ),
    ],
)
def test_a_folder_that_is_no_part_is_refused(
    database: Database, part: Path, files: dict[str, str], message: str
) -> None:
    for name, text in files.items():
        (part / name).write_text(text)
    done = run(database, "upsert", part, "--dry-run")
    assert (done.status, message in done.last_line) == (2, True), done.last_line


def test_a_folder_that_is_missing_is_refused(database: Database, part: Path) -> None:
    done = run(database, "upsert", part / "none", "--dry-run")
    assert (done.status, "does not exist" in done.last_line) == (2, True)


@pytest.mark.parametrize(
    ("words", "environment", "message"),
    [
        ([], {}, "no writer: give --writer URL, or set WRITER_URL"),
        (
            ["--writer", "localhost:7030"],
            {},
            "'localhost:7030' is not the URL of a writer",
        ),
        ([], {"WRITER_URL": "http://127.0.0.1:9"}, "WRITER_KEY is not set: make a key"),
    ],
)
def test_a_run_without_a_writer_or_a_key_is_refused(
    database: Database,
    part: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    environment: dict[str, str],
    message: str,
) -> None:
    for name in KEY:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    done = run(database, "upsert", part, *words)
    assert (done.status, message in done.last_line) == (2, True), done.last_line


def test_a_second_upsert_at_the_same_time_is_refused(database: Database, part: Path) -> None:
    (part / "quantities.csv").write_text("sku_id,quantity\n1,3\n")

    with psycopg.connect(database.loader, autocommit=True) as other, only_upsert(other):
        done = run(database, "upsert", part, "--dry-run")
    assert (
        done.status,
        "another upsert is at work on this database" in done.last_line,
    ) == (2, True)


def test_nothing_served_is_refused(database: Database, part: Path) -> None:
    database.execute("ALTER SCHEMA catalog RENAME TO away")
    try:
        done = run(database, "upsert", part, "--dry-run")
    finally:
        database.execute("ALTER SCHEMA away RENAME TO catalog")
    assert (
        done.status,
        "nothing is served: run `load DIR` first" in done.last_line,
    ) == (2, True)
