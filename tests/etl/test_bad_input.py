"""Files that are broken as a whole are refused in one line, or read within the limit of memory."""

import gzip
import random

import pytest
from reading import FEATURES, PHOTOS, read, read_file
from support import Catalog

from etl.errors import Refused
from etl.rows import clean, fields
from etl.rows.fields import MAX_ROW_BYTES
from etl.rows.lines import Lines

SKUS = "id,styleId,size,quantity\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (gzip.compress(b'1,1,"M",5\n' * 100), "gunzip"),
        ('id,styleId,size,quantity\n1,1,"M",5\n'.encode("utf-16"), "not UTF-8"),
        ('id,styleId,size,quantity\n1,1,"M",5\n'.encode("utf-16-be"), "not UTF-8"),
        ("\ufeffid,styleId,size,quantity\n".encode("utf-16-be"), "not UTF-8"),
        (bytes(4000), "not UTF-8"),
        (b"PK\x03\x04" + random.Random(1).randbytes(4000), "not UTF-8"),
        (b"7z\xbc\xaf\x27\x1c" + random.Random(1).randbytes(400), "not UTF-8"),
        (b"1" + random.Random(1).randbytes(1 << 16), "not UTF-8"),
        ('1,1,"Übergröße",5\n'.encode("latin-1") * 17, "not UTF-8"),
        (b'id,styleId,size,quantity\r1,1,"M",5\r', "lone CR"),
        (b"id,styleId,size\n1,1,M\n", "lacks quantity"),
        (b"id,id,size,quantity\n", "lacks styleid"),
        (b"id,colour,size,quantity\n", "lacks styleid"),
        (b"id,styleId,size,quantity" + b",more" * 250 + b"\n", "more than 250 columns"),
        (b"<html><body>Not found</body></html>\n", "neither a header nor a row"),
        (b"<html>\n<body>Not found</body></html>\n1,1,M,5\n", "neither a header nor a row"),
        (b"\n\r\n", "neither a header nor a row"),
        (b"number,style,count,fit\n1,1,5,M\n", "neither a header nor a row"),
        (b'x,y,"M",null\n2,1,"M",5\n', "neither a header nor a row"),
        (b"id;styleId;size;quantity\n1;1;M;5\n", "neither a header nor a row"),
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_refused(catalog: Catalog, content: bytes, message: str) -> None:
    catalog.write("skus.csv", content)
    with pytest.raises(Refused, match=message):
        read_file(catalog.directory / "skus.csv", "skus")


def test_a_missing_file_is_refused(catalog: Catalog) -> None:
    with pytest.raises(Refused, match="is missing"):
        read_file(catalog.directory / "nothing.csv", "skus")


def test_a_row_of_ten_megabytes_is_rejected_alone(catalog: Catalog) -> None:
    long_row = b'2,1,"' + b"x" * (10 << 20) + b'",5\n'
    catalog.write("skus.csv", SKUS.encode() + b'1,1,"M",5\n' + long_row + b'3,1,"M",5\n4,1,"M",x\n')
    found = read_file(catalog.directory / "skus.csv", "skus")
    assert (found.ids, found.reasons) == ([1, 3], [(3, "row_too_long"), (5, "bad_quantity")])
    assert all(len(reject.raw) <= 1000 for reject in found.rejects)


@pytest.mark.parametrize("length", [MAX_ROW_BYTES, MAX_ROW_BYTES + 1, 1_300_000, 2_000_000])
def test_the_longest_row_is_the_same_anywhere_in_a_file(catalog: Catalog, length: int) -> None:
    long_row = b'7000000,1,"' + b"x" * (length - 14) + b'",5'
    outcomes = []
    for rows_before in (0, 1, 20_000, 69_000, 77_000):
        before = b"".join(b'%d,1,"M",5\n' % n for n in range(1, rows_before + 1))
        catalog.write("skus.csv", SKUS.encode() + before + long_row + b'\n8000000,1,"M",5\n')
        found = read_file(catalog.directory / "skus.csv", "skus")
        assert found.read == rows_before + 2
        assert [line for line, _ in found.reasons] in ([], [rows_before + 2])
        outcomes.append([reason for _, reason in found.reasons])
    assert outcomes == [["row_too_long"] if length > MAX_ROW_BYTES else []] * 5


@pytest.mark.parametrize("content", [b"," * (5 << 20), b"7," + b"x" * (5 << 20)])
def test_a_file_of_one_endless_line_is_one_rejected_row(catalog: Catalog, content: bytes) -> None:
    catalog.write("skus.csv", SKUS.encode() + content)
    found = read_file(catalog.directory / "skus.csv", "skus")
    assert (found.rows, found.reasons) == ([], [(2, "row_too_long")])


@pytest.mark.parametrize(
    ("table", "rows", "reason"),
    [
        ("skus", SKUS + '1,1,"M",5\r2,1,"M",5\n3,1,"M",5\n', "bad_quantity"),
        ("photos", PHOTOS + '1,1,"u","t"\r2,1,"u2","t2"\n3,1,"u3","t3"\n', "bad_text"),
        ("photos", PHOTOS + '1,1,"u",t\r2,1,"u2","t2"\n3,1,"u3","t3"\n', "bad_text"),
        ("photos", PHOTOS + '1,1,"u","t"\r,2,1,"u2","t2"\n3,1,"u3","t3"\n', "bad_text"),
        ("photos", PHOTOS + '1,1,"u","t","extra",,x,\r2,1,"u2","t2"\n3,1,"u3","t3"\n', "bad_text"),
        ("photos", PHOTOS + '1,1,"u","t","extra"\r2,1,"u2","t2"\n3,1,"u3","t3"\n', "bad_text"),
        ("features", FEATURES + '1,1,"f","v"\r2,1,"f2","v2"\n3,1,"f3","v3"\n', "bad_text"),
        ("features", FEATURES + '1,1,"f",null\r2,1,"f2",null\n3,1,"f3",null\n', "bad_text"),
    ],
)
def test_a_lone_cr_inside_a_row_rejects_that_row(catalog: Catalog, table: str, rows: str, reason: str) -> None:
    """Otherwise the row after it would be dropped as extra fields."""
    found = read(catalog, table, rows)
    assert (found.ids, found.reasons) == ([3], [(2, reason)])


def test_a_cr_inside_quotes_is_text(catalog: Catalog) -> None:
    found = read(catalog, "photos", PHOTOS + '1,1,"a\rb","t\r"\n2,1,"u",t\r\n')
    assert [(row["url"], row["thumbnail_url"]) for row in found.rows] == [("a\rb", "t\r"), ("u", "t")]
    assert (found.repaired, found.reasons) == (0, [])


@pytest.mark.parametrize(
    "filler", ["no record, no quote " * 20 + "\n", pytest.param("x\n", marks=pytest.mark.long)], ids=["long", "short"]
)
def test_a_quote_that_never_closes_does_not_swallow_the_file(catalog: Catalog, filler: str) -> None:
    lines = (MAX_ROW_BYTES + 100_000) // len(filler)
    catalog.write("skus.csv", SKUS + '1,1,"M",5\n2,1,"open,5\n' + filler * lines + '3,1,"M",5\n')
    found = read_file(catalog.directory / "skus.csv", "skus")
    assert found.ids == [1, 3]
    assert found.read == lines + 3


def test_each_line_with_an_open_quote_is_read_alone(catalog: Catalog) -> None:
    rows = [f'{n},1,"size\n{n + 1},1,"M",5\n' for n in range(1, 8_000, 2)]
    catalog.write("skus.csv", SKUS + "".join(rows))
    found = read_file(catalog.directory / "skus.csv", "skus")
    assert len(found.rows) == len(found.rejects) == len(rows)


def test_a_row_is_read_the_same_wherever_a_block_ends(catalog: Catalog) -> None:
    """The same rows, shifted over the end of a block, among sound and broken ones."""
    odd = ['{n},1,"two\nlines",5', '{n},1,"open', '{n},1," M ", 5', "{n},1,bare,5", '{n},1,"é",007', '{n},x,"M",5']
    plain = '{n},1,"M",5'
    expected = None
    for shift in range(0, 40, 7):
        rows = [(odd[n % 97 % 6] if n % 97 < 6 else plain).format(n=n) for n in range(1, 10_000)]
        catalog.write("skus.csv", SKUS + f'2000000000,1,"{"x" * shift}",5\n' + "\n".join(rows) + "\n")
        found = read_file(catalog.directory / "skus.csv", "skus", block_bytes=1 << 16)
        outcome = (found.rows[1:], found.repaired, found.reasons)
        assert expected is None or outcome == expected
        expected = outcome


def test_the_fast_path_and_the_careful_path_agree(catalog: Catalog) -> None:
    """One defect sends a block down the careful path, which must not change the other rows."""
    rows = [f'{n},1,"say ""{n}"", é",{n % 7}' for n in range(1, 2000)]
    catalog.write("skus.csv", SKUS + "\n".join(rows) + "\n")
    fast = read_file(catalog.directory / "skus.csv", "skus")
    catalog.append("skus.csv", "9000,1,\n")
    careful = read_file(catalog.directory / "skus.csv", "skus")
    assert (careful.rows, careful.repaired, fast.repaired) == (fast.rows, 0, 0)
    assert careful.reasons == [(2001, "missing_fields")]


def test_a_file_of_another_catalog_is_all_orphans_and_read_once(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finding the line of each reject must not start at the first line of the block, which took minutes."""
    looked: list[bytes] = []
    monkeypatch.setattr(clean, "Lines", lambda data: looked.append(data) or Lines(data))
    rows = [f'{n},{n + 1000},"M",5' for n in range(1, 60_001)]
    catalog.write("skus.csv", SKUS + "\n".join(rows) + "\n")
    found = read_file(catalog.directory / "skus.csv", "skus", block_bytes=1 << 14)
    assert len(looked) > 10
    assert sum(map(len, looked)) <= (catalog.directory / "skus.csv").stat().st_size
    assert [reject.raw.decode() for reject in found.rejects] == rows


def test_many_short_bad_lines_end_a_chunk_before_they_fill_memory(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("etl.chunk._MAX_LISTED", 5_000)
    monkeypatch.setattr("etl.rows.careful._MAX_LINES", 4_000)
    catalog.write("skus.csv", SKUS + "x\n" * 15_000 + '1,1,"M",5\n')
    found = read_file(catalog.directory / "skus.csv", "skus")
    assert (found.ids, found.read) == ([1], 15_001)
    assert found.reasons[::3_333] == [(line, "missing_fields") for line in range(2, 15_002, 3_333)]
    assert max(found.chunk_rejects) <= 9_000


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("", None),
        (',"last",x"', "surplus_fields"),
        (",5", None),
        (",x\ry", "bad_quantity"),
        (',"z",\r,"', "bad_quantity"),
    ],
)
def test_dropped_fields_are_skipped_and_not_split(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, end: str, reason: str | None
) -> None:
    """A line of a million commas held a worker for seconds."""
    looked: list[int] = []
    look = fields._next_field
    monkeypatch.setattr(fields, "_next_field", lambda data, at, quotes: looked.append(at) or look(data, at, quotes))
    found = read(catalog, "skus", SKUS + f'1,1,"M",5{"," * 100_000}{end}\n2,1,"M",5\n')
    assert (found.ids, found.reasons) == (([2], [(2, reason)]) if reason else ([1, 2], []))
    assert len(looked) < 100
