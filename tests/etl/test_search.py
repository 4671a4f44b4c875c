"""Each set and each list of the search is what the rows say, by an oracle that shares no code with the loader."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from search_oracle import Product, expected, read_products, read_search
from support import ROOT, Catalog, Database, load, run

from etl.config import LANGUAGES

_LONG = "x" * 100
_LONG_CJK = "".join(chr(0x4E00 + at) for at in range(300))
_EDGES = {
    "product.csv": [
        '11,"日本製のデニム ジャケット","ガーデン","デニムのジャケット。日本製、丈夫。ABC日本12","アウター",10',
        '12,"Größe Ärmel ﬁne İstanbul","ΟΔΟΣ ΟΔΟΣ\'Α","naïve Łódź Øre Œuvre Æther đak ı ½ ² Å","Jäckets",10.50',  # noqa: RUF001
        '13,"<b>Markup</b> &amp; ""x""","a_b-c.d/e","it\'s 50% off; 7.5in (new)","Hats",10.5',
        f'14,"Emoji 🧵✂️ 👩‍👩‍👧","🇯🇵","{_LONG} {_LONG}日本 {_LONG[:63]}ß","Hats",0',
        '15,"parka","","","Hats",99.999',
        '16,"Parka","","","Hats",99.9990',
        '17,"PARKA","","","",100',
        '18,"pärka","","","hats",100',
        f'19,"!!! ---","","","{"c" * 201}",100',
        '20,"한국어 가나다 ไทยกำ हिन्दी עִבְרִית","がぎ か\u3099","e\u0301te\u0301 \u0301 x\u0338","Hats",100',
        '22,"a ab abc abcd","b","c","Hats",100',
        f'23,"","","{_LONG_CJK}","Hats",100',
        "24,\"Men's T-Shirt O'Neill's-2go\",\"rock'n'roll--x'9 8-1/2 1'000\",\"AB-1234-X 501xx a`b/c. '-d 7in\",\"\",1",
    ],
    "styles.csv": [
        '11,11,"ネイビー ブルー",null,10,1',
        '12,12,"Blau",5,5,1',
        '13,13,"Red",9.99,10,1',
        '14,13,"Blue",null,8,0',
        '15,14,"null",0,1,1',
        '16,15,"Sale",200,100,1',
        '17,20,"X",null,7.1,1',
        '18,20,"Y",null,7.10,0',
        '900000,22,"Far away",null,3,1',
    ],
    "skus.csv": [
        '11,11,"M",0',
        '12,11,"L",1',
        '13,12,"M",5',
        '14,12,"M",0',
        '15,12,"M",7',
        '16,13,"Größe 7,5",1',
        '17,14,"M",0',
        f'18,14,"{"s" * 201}",3',
        '19,17,"a=b%",2',
        '20,900000,"M",1',
    ],
    "features.csv": [
        '11,11,"素材","綿"',
        '12,12,"a=b%c","d=e%"',
        '13,12,"a=b%c","d=e%"',
        '14,12,"a","b%c=d=e%"',
        '15,13,"Fit",null',
        '16,13,"Fit","null"',
        '17,13,"Fit",""',
        f'18,14,"Long","{"v" * 300} end"',
        f'19,14,"{"n" * 201}","short value"',
        f'20,14,"Just","{"v" * 200}"',
        '21,15,"%3D","%25"',
        '22,16,"fit","Slim"',
        '23,17,"Fit","slim"',
        '24,18,"UV","Slim"',
    ],
}


def test_the_sets_of_edge_products_are_what_their_rows_say(database: Database, catalog: Catalog) -> None:
    for file, rows in _EDGES.items():
        catalog.append(file, "".join(f"{row}\n" for row in rows))
    done = load(database, catalog, "--max-reject", 0)
    assert done.status == 0, done.stderr
    wanted = expected(read_products(catalog.directory))
    assert wanted.sets.keys() >= {
        "a:日本",
        f"a:{_LONG_CJK[-2:]}",
        "n:grosse",
        "xn:abc",
        "m:綿",
        "f:feature.a%3Db%25c=d=e%",
        "f:on_sale",
    }
    assert read_search(database) == wanted


@pytest.mark.long
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_sets_of_a_generated_catalog_are_what_its_rows_say(database: Database, tmp_path: Path, jobs: int) -> None:
    generator = [os.environ["TEST_NODE"], ROOT / "scripts/generate", tmp_path / "csv", "--products", "5000"]
    subprocess.run(generator, check=True, capture_output=True)
    assert run(database, "load", tmp_path / "csv", "--jobs", jobs, "--again").status == 0
    wanted = expected(read_products(tmp_path / "csv"))
    assert max(map(len, wanted.sets.values())) > 4096
    assert read_search(database) == wanted


@pytest.mark.long
def test_a_product_after_the_last_chunk_is_in_the_next_one(database: Database, catalog: Catalog) -> None:
    count = 65_537
    for step in (["prepare"], ["copy", catalog.directory], ["index"], ["documents"]):
        assert run(database, *step).status == 0
    staged = "catalog_staging"
    database.execute(
        f"TRUNCATE {staged}.products, {staged}.cards, {staged}.styles, {staged}.skus, {staged}.features; "
        f"INSERT INTO {staged}.products SELECT 3 * i, 'Name ' || i % 5, '', '', 'C' || i % 2, i % 7 "
        f"FROM generate_series(1, {count}) AS i; "
        f"INSERT INTO {staged}.cards SELECT id, 1, default_price, '', '' FROM {staged}.products; "
        # Between the styles of one part of the products are those of another.
        f"INSERT INTO {staged}.styles SELECT CASE WHEN i <= 32768 THEN 2 * i ELSE 2 * i - 65537 END, "
        f"3 * i, '', null, i % 7, true FROM generate_series(1, {count}) AS i; "
        f"INSERT INTO {staged}.skus SELECT id, id, 'S' || product_id % 4, product_id % 2 FROM {staged}.styles"
    )
    assert run(database, "search").status == 0
    rows = [
        {"id": f"{3 * i}", "name": f"Name {i % 5}", "slogan": "", "description": ""}
        | {"category": f"C{i % 2}", "default_price": f"{i % 7}"}
        for i in range(1, count + 1)
    ]
    products = [
        Product(
            row,
            [{"name": "", "sale_price": "\\N", "original_price": row["default_price"]}],
            [],
            [{"size": f"S{int(row['id']) % 4}", "quantity": f"{int(row['id']) % 2}"}],
        )
        for row in rows
    ]
    assert read_search(database, staged) == expected(products)
    chunks = "SELECT key, chunk, rows FROM catalog_staging.search_sets WHERE key IN ('n:2', 'n:name') ORDER BY 1, 2"
    assert database.query(chunks) == [("n:2", 0, 13107), ("n:2", 1, 1), ("n:name", 0, 65_536), ("n:name", 1, 1)]


def test_a_load_without_search_has_empty_tables_and_a_later_one_makes_it(database: Database, catalog: Catalog) -> None:
    counts = "SELECT (SELECT count(*) FROM catalog.search_sets), (SELECT count(*) FROM catalog.search_blobs)"
    assert load(database, catalog, "--no-search", "--again").status == 0
    assert database.query(counts) == [(0, 0)]
    assert run(database, "verify").status == 0
    assert "already served" in load(database, catalog, "--no-search").stderr
    assert load(database, catalog).status == 0
    assert read_search(database) == expected(read_products(catalog.directory))
    assert "already served" in load(database, catalog).stderr


def test_a_load_names_the_language_of_its_texts_and_another_language_is_another_load(
    database: Database, catalog: Catalog
) -> None:
    catalog.grow(30)
    for options, language, note in [
        (["--language", "de"], "de", ""),
        (["--language", "none"], "none", ""),
        ([], "en", ""),
        (["--language", "eu"], "none", "no forms of words of language eu: loads as none"),
    ]:
        done = load(database, catalog, *options)
        assert (done.status, note in done.stderr, "no forms" in done.stderr) == (0, True, note != "")
        assert read_search(database).language == language
        assert "already served" in load(database, catalog, *options).stderr
    assert "already served" in load(database, catalog, "--language", "none").stderr


def test_a_load_that_stopped_resumes_with_the_language_that_is_typed_then(database: Database, catalog: Catalog) -> None:
    catalog.grow(40)
    for step in (["copy", catalog.directory], ["index"], ["documents"], ["search", "--language", "fr"], ["verify"]):
        assert run(database, *step).status == 0
    done = load(database, catalog, "--language", "sv")
    assert (done.status, "resumes" in done.stderr) == (0, True)
    assert read_search(database).language == "sv"


@pytest.mark.parametrize(
    ("code", "hint"), [("english", ""), ("EN", "did you mean en? "), ("d", "did you mean "), ("", ""), ("e1", "")]
)
def test_what_is_no_code_of_a_language_is_refused(catalog: Catalog, code: str, hint: str) -> None:
    done = run(None, "load", catalog.directory, "--check", "--language", code)
    message = f"refused: --language: {code!r} is not the code of a language: {hint}"
    assert (done.status, done.last_line.startswith(message), "da, de, en, " in done.last_line) == (2, True, True)


def test_the_language_of_the_environment_counts_without_an_option(
    database: Database, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    language = "SELECT convert_from(body, 'UTF8') FROM catalog.search_blobs WHERE name = 'language'"
    monkeypatch.setenv("SEARCH_LANGUAGE", "nl")
    load(database, catalog)
    assert database.query(language) == [("nl",)]
    assert "is not the code of a language" not in load(database, catalog, "--language", "it").stderr
    assert database.query(language) == [("it",)]
    monkeypatch.setenv("SEARCH_LANGUAGE", "Dutch")
    done = run(None, "load", catalog.directory, "--check")
    assert (done.status, "'Dutch' is not the code of a language" in done.stderr) == (2, True)


def test_the_languages_are_those_whose_forms_the_server_knows() -> None:
    assert list(LANGUAGES) == sorted(json.loads((ROOT / "server/search/text/languages.json").read_text()))


def test_a_load_that_stopped_without_search_resumes_with_it(database: Database, catalog: Catalog) -> None:
    catalog.grow(20)
    for step in (["copy", catalog.directory], ["index"], ["documents"], ["search", "--no-search"], ["verify"]):
        assert run(database, *step).status == 0
    done = load(database, catalog)
    assert (done.status, "resumes" in done.stderr) == (0, True)
    assert read_search(database) == expected(read_products(catalog.directory))


def test_documents_that_are_made_again_need_their_search_again(database: Database, catalog: Catalog) -> None:
    for step in (["copy", catalog.directory], ["index"], ["documents"], ["search"], ["documents"]):
        assert run(database, *step).status == 0
    done = run(database, "verify")
    assert (done.status, "run `search` first" in done.last_line) == (2, True)
