"""fields.json: what it may declare, its defaults, and all its mistakes at once."""

import json
import os
from pathlib import Path

import pytest
from support import Catalog, run

from etl.declaration import Declaration, Field, read_declaration
from etl.errors import Refused
from etl.files import fingerprint, read_layouts

TEXT = {"type": "text"}


def declare(folder: Path, content: object) -> Declaration | None:
    (folder / "fields.json").write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return read_declaration(folder)


def refusal(folder: Path, content: object) -> list[str]:
    with pytest.raises(Refused) as refused:
        declare(folder, content)
    return str(refused.value).split("\n  ")


def test_a_folder_without_the_file_and_a_file_without_fields_declare_nothing(
    tmp_path: Path,
) -> None:
    assert read_declaration(tmp_path) is None
    assert [declare(tmp_path, content) for content in ({}, {"products": {}, "skus": {}})] == [None, None]


def test_the_members_that_are_left_out_have_their_defaults(tmp_path: Path) -> None:
    declared = declare(
        tmp_path,
        {
            "products": {"tags": {"type": "list"}},
            "styles": {"colour": {**TEXT, "column": "C"}},
        },
    )
    assert declared == Declaration(
        products={"tags": Field("tags", "list", "tags", "|", False, None, False, False, False, "reject")},
        styles={"colour": Field("colour", "text", "C", None, False, None, False, False, False, "reject")},
    )
    assert list(json.loads(declared.content)["products"]["tags"].items()) == [
        ("type", "list"),
        ("column", "tags"),
        ("separator", "|"),
        ("facet", False),
        ("search", None),
        ("card", False),
        ("sort", False),
        ("lookup", False),
        ("invalid", "reject"),
    ]


def test_all_mistakes_of_form_are_named_at_once(tmp_path: Path) -> None:
    mistakes = refusal(
        tmp_path,
        {
            "products": {
                "Brand": TEXT,
                "b": {"type": "money"},
                "c": {},
                "d": {**TEXT, "facets": True},
            },
            "photos": {},
        },
    )
    assert mistakes == [
        f"{tmp_path}/fields.json has 5 mistakes; correct and try again:",
        "the file: 'photos' is none of $schema, products, styles, skus",
        "products: 'Brand' is no name: a small letter and up to 39 of a-z, 0-9 and _",
        "products.b.type: 'money' is not one of ['text', 'number', 'boolean', 'date', 'list']",
        "products.c has no type: text, number, boolean, date or list",
        "products.d: 'facets' is none of type, column, separator, facet, search, card, sort, lookup, invalid; "
        "did you mean 'facet'?",
    ]


@pytest.mark.parametrize(
    ("content", "mistake"),
    [
        (
            {"products": {"a": {**TEXT, "separator": ";"}}},
            "products.a: only a list has a separator",
        ),
        (
            {"products": {"a": {"type": "number", "search": "text"}}},
            "only words of texts and lists are searched",
        ),
        (
            {"styles": {"a": {**TEXT, "card": True}}},
            "styles.a: only fields of products are on cards",
        ),
        (
            {"products": {"a": {**TEXT, "sort": True}}},
            "only numbers and dates of products sort",
        ),
        (
            {"skus": {"a": {"type": "number", "sort": True}}},
            "only numbers and dates of products sort",
        ),
        ({"products": {"a": {**TEXT, "lookup": True}}}, "only skus are looked up"),
        (
            {"products": {"a": TEXT}, "skus": {"a": TEXT}},
            "skus.a: products has a field of this name",
        ),
        (
            {"products": {"name": TEXT}},
            "the column 'name' is a column of every catalog",
        ),
        (
            {"skus": {"a": {**TEXT, "column": "Style ID"}}},
            "the column 'Style ID' is a column of every catalog",
        ),
        (
            {"skus": {"a": TEXT, "b": {**TEXT, "column": "A"}}},
            "skus.b: the column 'A' is that of the field a",
        ),
        (
            {"skus": {"a": {**TEXT, "column": " _"}}},
            "the column ' _' has no letter or digit",
        ),
        (
            {"skus": {f"f{n}": TEXT for n in range(65)}},
            "the file declares 65 fields, more than 64",
        ),
    ],
)
def test_what_contradicts_the_catalog_or_itself_is_refused(tmp_path: Path, content: object, mistake: str) -> None:
    (_, named) = refusal(tmp_path, content)
    assert mistake in named


def test_64_fields_are_allowed(tmp_path: Path) -> None:
    assert declare(tmp_path, {"skus": {f"f{n}": TEXT for n in range(64)}}) is not None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"products": {"a": {"type": "text"}, "a": {"type": "number"}}}',
            "has 'a' twice in one object",
        ),
        ('{"products": ', "is no JSON: Expecting value in line 1, column 14"),
        (
            '{"products": {},}',
            "in line 1, column 17, as there is a comma too many before it; correct and try again",
        ),
        ("[]", "the file: [] is not of type 'object'"),
    ],
)
def test_a_file_that_is_no_object_is_refused(tmp_path: Path, content: str, message: str) -> None:
    assert message in "\n".join(refusal(tmp_path, content))


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fields.json")
    with pytest.raises(Refused, match="is not a regular file"):
        read_declaration(tmp_path)


def test_check_reads_the_declaration_and_touches_no_database(catalog: Catalog) -> None:
    catalog.write("fields.json", '{"products": {"brand": {"type": "text"}}}')
    done = run(None, "load", catalog.directory, "--check")
    assert (done.status, done.last_line) == (
        2,
        f"refused: {catalog.directory}/product.csv: the header lacks the column 'brand' of the field brand: "
        'correct its "column" in fields.json, add it to the file, or take the field out of fields.json',
    )


def test_a_misspelt_column_is_refused_with_the_one_that_was_meant(
    catalog: Catalog,
) -> None:
    catalog.write(
        "fields.json",
        '{"skus": {"code": {"type": "text", "column": "Article Nunber"}}}',
    )
    catalog.write("skus.csv", 'id,styleId,size,quantity,Article Number\n1,1,"M",5,AB-1\n')
    done = run(None, "load", catalog.directory, "--check")
    assert (
        done.status,
        "the field code (did you mean 'Article Number'?): correct" in done.last_line,
    ) == (2, True)


def test_columns_that_nothing_declares_are_named(catalog: Catalog) -> None:
    catalog.write("skus.csv", 'id,styleId,size,quantity,Article Number,size\n1,1,"M",5,AB-1,L\n')
    for option in ("--check", "--dry-run"):
        done = run(
            None,
            "load",
            catalog.directory,
            option,
            "--rejects",
            catalog.directory / "rejects",
        )
        named = "skus.csv: columns that nothing declares are left out: Article Number, size; `fields DIR` guesses"
        assert (done.status, named in done.stderr) == (0, True), done.stderr


def test_a_file_without_a_header_has_no_fields(catalog: Catalog) -> None:
    catalog.write("fields.json", '{"skus": {"code": {"type": "text"}}}')
    catalog.write("skus.csv", '1,1,"M",5,"AB-1"\n')
    with pytest.raises(Refused, match="it has no header with the column 'code' of the field code"):
        read_layouts(catalog.directory)


def test_another_declaration_is_another_load(catalog: Catalog) -> None:
    before = fingerprint(catalog.directory, "c")
    catalog.write("fields.json", "{}")
    assert fingerprint(catalog.directory, "c") != before


def test_a_guess_is_a_declaration_that_its_files_fit(catalog: Catalog) -> None:
    days = (f"2026-01-{n % 28 + 1:02}" for n in range(1, 41))
    rows = (f"{n},A,a,aa,Hats,140,B{n % 3},{n}.5,{n % 2},{day},a|b,note {n}," for n, day in enumerate(days, 1))
    header = "id,name,slogan,description,category,default_price,Brand,Weight (g),vegan,launched,tags,note,none"
    catalog.write("product.csv", "\n".join([header, *rows]))
    skus = (f"{n},1,M,5,{4_000_000_000_000 + n},B" for n in range(1, 41))
    catalog.write("skus.csv", "\n".join(["id,styleId,size,quantity,GTIN,Brand", *skus]))
    done = run(None, "fields", catalog.directory)
    assert done.status == 0
    assert json.loads(done.stdout) == {
        "products": {
            "brand": {"type": "text", "facet": True, "search": "attribute"},
            "weight_g": {
                "type": "number",
                "sort": True,
                "facet": True,
                "column": "Weight (g)",
            },
            "vegan": {"type": "boolean", "facet": True},
            "launched": {"type": "date", "sort": True, "facet": True},
            "tags": {"type": "list", "separator": "|", "facet": True, "search": "text"},
            "note": {"type": "text"},
            "none": {"type": "text"},
        },
        "skus": {
            "gtin": {"type": "text", "lookup": True},
            "sku_brand": {
                "type": "text",
                "facet": True,
                "search": "attribute",
                "column": "Brand",
            },
        },
    }
    written = run(None, "fields", catalog.directory, "--write")
    assert (written.stdout, (catalog.directory / "fields.json").read_text()) == (
        f"{catalog.directory}/fields.json\n",
        done.stdout,
    )
    again = run(None, "fields", catalog.directory, "--write")
    assert (again.status, again.last_line.split("; ")[0].split(": ")[1]) == (
        2,
        f"{catalog.directory}/fields.json exists",
    )
    assert run(None, "load", catalog.directory, "--dry-run").status == 0


def test_a_guess_of_a_folder_without_the_files_is_refused(tmp_path: Path) -> None:
    done = run(None, "fields", tmp_path)
    assert (
        done.status,
        "name the folder that holds the six CSV files" in done.last_line,
    ) == (2, True)
