"""Each repaired row is listed in the database and in a file, and counted by rule."""

import csv

import pytest
from reading import FEATURES, PRODUCT, read
from support import SOUND, Catalog, Database, load

from etl.chunk import _MAX_LISTED

REPAIRED = '4,1, "Fit","Slim"\n5,1,"Size","15\\" deep"\n6,99, "Fit","Slim"\n7, 1,"Cut","open\n8,1,"Fit","Slim",,\n'
LISTED = [
    ("features.csv", 4, "space", "feature", ' "Fit"', "Fit"),
    ("features.csv", 5, "escaped_quotes", "value", '"15\\" deep"', '15" deep'),
    ("features.csv", 7, "open_quote", "value", '"open', "open"),
    ("features.csv", 7, "space", "product_id", " 1", "1"),
    ("features.csv", 8, "surplus_fields", "value", '"Slim",,', "Slim"),
]


@pytest.mark.parametrize("options", [[], ["--dry-run"]], ids=["load", "dry run"])
@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_repairs_are_listed_in_the_order_of_the_file_and_counted_by_rule(
    database: Database, catalog: Catalog, options: list[str], chunk: int
) -> None:
    catalog.append("features.csv", REPAIRED)
    done = load(database, catalog, "--max-reject", 90, "--chunk", chunk, "--again", *options)
    assert done.status == 0, done.last_line
    with (catalog.directory / "rejects/features.repairs.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["file", "line", "rule", "columns", "before", "after"]
    assert sorted((file, int(line), *rest) for file, line, *rest in rows) == LISTED
    assert [int(row[1]) for row in rows] == [4, 5, 7, 7, 8]
    assert "space 2" in done.stdout
    assert "escaped_quotes 1" in done.stdout


def test_repairs_are_in_the_database_and_those_of_an_earlier_load_in_no_file(
    database: Database, catalog: Catalog
) -> None:
    catalog.append("features.csv", REPAIRED)
    assert load(database, catalog, "--max-reject", 90, "--again").status == 0
    listed = "SELECT file, line, rule, columns, before, after FROM catalog_meta.repairs WHERE load_id = "
    served = "(SELECT id FROM catalog_meta.loads WHERE state = 'live') ORDER BY 2, 3"
    assert database.query(listed + served) == LISTED
    catalog.write("features.csv", SOUND["features.csv"])
    assert load(database, catalog).status == 0
    assert not (catalog.directory / "rejects/features.repairs.csv").exists()


def test_a_file_of_repaired_rows_ends_a_chunk_before_they_fill_the_memory(catalog: Catalog) -> None:
    rows = "".join(f'{n},"n","s","d","c",$140\n' for n in range(1, 60_001))
    found = read(catalog, "products", PRODUCT + rows)
    assert (len(found.repairs), found.repaired, found.reasons) == (60_000, 60_000, [])
    assert len(found.chunk_rejects) > 1
    assert _MAX_LISTED < 60_000


@pytest.mark.parametrize("chunk", [1, 30, 100])
def test_a_chunk_never_ends_inside_a_record(database: Database, catalog: Catalog, chunk: int) -> None:
    values = {n: f"one\n{n},1,f,v\r\n" + "x" * n for n in range(1, 20)}
    catalog.write("features.csv", FEATURES + "".join(f'{n},1,"f","{text}"\n' for n, text in values.items()))
    assert load(database, catalog, "--chunk", chunk, "--again").status == 0
    assert dict(database.query("SELECT id, value FROM catalog.features")) == values
    ends = database.query(
        "SELECT end_byte FROM catalog_meta.chunks WHERE file = 'features.csv' AND load_id = "
        "(SELECT id FROM catalog_meta.loads WHERE state = 'live')"
    )
    content = (catalog.directory / "features.csv").read_bytes()
    assert len(ends) > 3
    assert all(content[:end].count(b'"') % 2 == 0 and content[end - 1 : end] == b"\n" for (end,) in ends)
