"""A quote left open costs its own line at most, and a field may still run over lines."""

import pytest
from reading import FEATURES, PHOTOS, PRODUCT, SKUS, read
from support import Catalog

from etl.rows import lines
from etl.rows.careful import _MAX_LINES


def test_an_open_quote_before_a_whole_record_is_closed_at_the_line_end(catalog: Catalog) -> None:
    found = read(catalog, "photos", PHOTOS + '1,1,"u","t\n2,1,"u2","t2"\n')
    assert [row["thumbnail_url"] for row in found.rows] == ["t", "t2"]
    assert (found.repaired, found.reasons) == (1, [])


@pytest.mark.parametrize("block_bytes", [1, 40, 1 << 20])
@pytest.mark.parametrize("blank", ["\n", "\r\n", "\n\r\n\n"])
def test_blank_lines_behind_an_open_quote_belong_to_no_row(catalog: Catalog, blank: str, block_bytes: int) -> None:
    rows = '1,1,"f","open\n' + blank + '2,1,"f","first\n' + blank + "second\n" + blank + '3,1,"f","v"\n'
    found = read(catalog, "features", FEATURES + rows, block_bytes)
    assert [row["value"] for row in found.rows] == ["open", f"first\n{blank}second", "v"]
    assert (found.repaired, found.reasons) == (2, [])


def test_a_line_of_several_returns_behind_an_open_quote_is_text_and_no_row(catalog: Catalog) -> None:
    found = read(catalog, "features", FEATURES + '1,1,"f","open\n\r\r\n2,1,"f","v"\n')
    assert [row["value"] for row in found.rows] == ["open\n\r", "v"]
    assert (found.repaired, found.reasons) == (1, [])


@pytest.mark.parametrize("block_bytes", [1, 40, 1 << 20])
@pytest.mark.parametrize(
    "header",
    ["id,product_id,feature,value,created\n", "", FEATURES],
    ids=["a header", "no header", "a header of ours alone"],
)
def test_an_open_quote_in_a_file_with_more_columns_than_ours_costs_no_other_row(
    catalog: Catalog, header: str, block_bytes: int
) -> None:
    rows = '1,1,"Feature","Leather",2020\n2,1,"Fabric","Canvas,2020\n3,1,"Buttons","Brass",2020\n'
    found = read(catalog, "features", header + rows + '4,1,"Cut","open\n5,1,"Fit","Slim"\n', block_bytes)
    assert [row["value"] for row in found.rows] == ["Leather", "Canvas,2020", "Brass", "open", "Slim"]
    assert (found.repaired, found.reasons) == (4, [])


@pytest.mark.parametrize("block_bytes", [1, 40, 1 << 20])
def test_a_field_may_run_over_lines_in_a_file_with_more_columns_than_ours(catalog: Catalog, block_bytes: int) -> None:
    rows = '1,1,"Fabric","Canvas\n2,1,""Buttons"",Brass,Slim,2020",2020\n3,1,"Fit","Slim",2020\n'
    found = read(catalog, "features", FEATURES.replace("\n", ",created\n") + rows, block_bytes)
    assert [row["value"] for row in found.rows] == ['Canvas\n2,1,"Buttons",Brass,Slim,2020', "Slim"]
    assert (found.repaired, found.reasons) == (2, [])


def test_an_open_quote_that_hides_fields_rejects_only_its_own_line(catalog: Catalog) -> None:
    found = read(catalog, "photos", PHOTOS + '1,1,"u,"t"\n2,1,"u2","t2"\n3,1,"u3\n4,1,"u4","t4"\n')
    assert (found.ids, found.reasons) == ([2, 4], [(2, "missing_fields"), (4, "missing_fields")])


def test_a_field_may_run_over_lines_and_later_line_numbers_stay_right(catalog: Catalog) -> None:
    found = read(catalog, "features", FEATURES + '1,1,"f","first\n\nsecond, ""third"""\n2,x,"f","v"\n3,1,"f","v"\n')
    assert found.rows[0]["value"] == 'first\n\nsecond, "third"'
    assert (found.repaired, found.reasons) == (0, [(5, "bad_id")])
    assert [row["position"] for row in found.rows] == [2, 6]


def test_an_open_quote_on_a_line_with_an_even_number_of_quotes_is_seen(catalog: Catalog) -> None:
    found = read(catalog, "features", FEATURES + '1,1,30" wide,"open\n2,1,"f","v"\n')
    assert [row["value"] for row in found.rows] == ["open", "v"]
    assert found.rows[0]["feature"] == '30" wide'


def test_an_open_quote_on_the_last_line_is_closed(catalog: Catalog) -> None:
    found = read(catalog, "features", FEATURES + '1,1,"f","v"\n2,1,"f","open')
    assert [row["value"] for row in found.rows] == ["v", "open"]
    assert found.repaired == 1


@pytest.mark.parametrize(
    ("end", "read_as"),
    [
        ('second" 30"', 'second 30"'),
        ('the "best" one"', 'the best" one"'),
        ('"best" one"', 'best" one"'),
        ('v" ,30" t', "v"),
    ],
)
def test_a_field_may_close_on_a_line_with_an_even_number_of_quotes(catalog: Catalog, end: str, read_as: str) -> None:
    found = read(catalog, "features", FEATURES + f'1,1,"f","first\n{end}\n4,1,"x"\n5,1,"g","ok"\n')
    assert [row["value"] for row in found.rows] == [f"first\n{read_as}", "ok"]
    assert found.reasons == [(4, "missing_fields")]


@pytest.mark.parametrize("block_bytes", [1, 40, 1 << 20])
@pytest.mark.parametrize(
    ("fault", "ids", "reasons"),
    [
        ('2,1,"u2","t2', [1, 2, 9], []),
        ('2,1,"u2","t2",more', [1, 2, 9], []),
        ('x,1,"u2","t2"', [1, 9], [(3, "bad_id")]),
        ('null,1,"u2","t2"', [1, 9], [(3, "null_value")]),
        ('2,1,"u2"', [1, 9], [(3, "missing_fields")]),
        ('"2","1","u2"', [1, 9], [(3, "missing_fields")]),
        ('"2","x","u2","t2"', [1, 9], [(3, "bad_id")]),
        ('"2","1","u2","t2', [1, 2, 9], []),
    ],
)
def test_an_open_quote_before_a_row_with_a_fault_of_its_own_costs_no_row(
    catalog: Catalog, fault: str, ids: list[int], reasons: list[tuple[int, str]], block_bytes: int
) -> None:
    """Each row is loaded or rejected: none becomes text of the row before it."""
    rows = f'1,1,"u","t\n{fault}\n9,1,"u9","t9"\n'
    found = read(catalog, "photos", PHOTOS + rows, block_bytes)
    assert (found.ids, found.reasons, found.read) == (ids, reasons, 3)
    assert [row["thumbnail_url"] for row in found.rows] == ["t", "t2", "t9"][:: 1 if len(ids) == 3 else 2]


@pytest.mark.parametrize(("lines_of_field", "is_one_field"), [(1000, True), (1001, False)])
def test_a_field_runs_over_a_thousand_lines_and_no_more(
    catalog: Catalog, lines_of_field: int, is_one_field: bool
) -> None:
    text = "\n".join(["line"] * lines_of_field)
    found = read(catalog, "features", FEATURES + f'1,1,"f","{text}"\n2,1,"f","v"\n')
    assert [row["value"] for row in found.rows] == [text if is_one_field else "line", "v"]
    assert found.read == (2 if is_one_field else lines_of_field + 1)


def test_a_field_over_lines_is_no_longer_than_a_row_may_be(catalog: Catalog) -> None:
    field = "\n".join(["x" * 100_000] * 12)
    found = read(catalog, "features", FEATURES + f'1,1,"f","{field}"\n2,1,"f","v"\n')
    assert [row["value"] for row in found.rows] == ["x" * 100_000, "v"]
    assert found.reasons == [(line, "missing_fields") for line in range(3, 14)]


def test_a_field_may_run_over_the_last_of_the_lines_that_are_looked_at_together(catalog: Catalog) -> None:
    found = read(catalog, "features", FEATURES + "x\n" * (_MAX_LINES - 1) + '1,1,"f","first\nsecond"\n')
    assert [row["value"] for row in found.rows] == ["first\nsecond"]


@pytest.mark.parametrize("block_bytes", [1, 40, 1 << 20])
def test_a_field_may_begin_on_a_line_with_an_even_number_of_quotes(catalog: Catalog, block_bytes: int) -> None:
    rows = '1,1,"f","v"\n2,1,30" wide,"first\nsecond"\n3,1,"f","v"\n'
    found = read(catalog, "features", FEATURES + rows, block_bytes)
    assert [row["value"] for row in found.rows] == ["v", "first\nsecond", "v"]
    assert (found.repaired, found.reasons) == (0, [])


@pytest.mark.parametrize("space", [" ", "\t"])
def test_a_field_may_begin_behind_space_on_a_line_with_an_even_number_of_quotes(catalog: Catalog, space: str) -> None:
    found = read(catalog, "features", FEATURES + f'1,1,30" wide,{space}"first\nsecond"\n2,1,"f","v"\n')
    assert [row["value"] for row in found.rows] == ["first\nsecond", "v"]
    assert (found.repaired, found.reasons) == (1, [])


def test_a_line_is_looked_at_once_however_many_quotes_are_open(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of these lines opens a field that none of the others closes."""
    looked: list[bytes] = []
    for name in ("is_whole_record", "split_fields"):
        look = getattr(lines, name)
        monkeypatch.setattr(lines, name, lambda line, *more, look=look: looked.append(line) or look(line, *more))
    found = read(catalog, "products", PRODUCT + '1,"a","b\n' * 2500)
    assert found.reasons == [(line, "missing_fields") for line in range(2, 2502)]
    assert sum(map(len, looked)) < 5 * 2500 * len('1,"a","b')


def test_an_open_quote_costs_no_row_that_ends_in_a_comma_which_the_header_lacks(catalog: Catalog) -> None:
    found = read(catalog, "skus", SKUS + '1,1,M,5,\n2,1,"S,5,\n3,1,M,5,\n4,1,M,5,"\n5,1,M,5,\n')
    assert (found.ids, found.repaired, found.reasons) == ([1, 3, 4, 5], 4, [(3, "missing_fields")])
