"""An open quote costs at most its own line, and a field may still run over lines."""

import pytest
from reading import FEATURES, PHOTOS, PRODUCT, SKUS, read
from support import Catalog

from etl.rows import record
from etl.rows.careful import _MAX_LINES
from etl.rows.fields import MAX_ROW_BYTES

BLOCKS = pytest.mark.parametrize("block_bytes", [1, 40, 1 << 20])


@BLOCKS
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\r\n\n"])
def test_an_open_quote_before_a_row_or_the_end_of_the_file_is_closed_at_its_line_end(
    catalog: Catalog, end: str, block_bytes: int
) -> None:
    rows = [f'{n},1,"f","open' for n in (1, 2)] + [
        '3,1,"f","v"',
        '4,1,"f","first\n5,1,""f"",""second"""',
        '6,1,"f","last',
    ]
    found = read(catalog, "features", FEATURES + end.join(rows), block_bytes)
    assert [row["value"] for row in found.rows] == ["open", "open", "v", 'first\n5,1,"f","second"', "last"]
    assert [(repair.rule, repair.columns, repair.before, repair.after) for repair in found.repairs] == [
        ("open_quote", "value", f'"{text}', text) for text in ("open", "open", "last")
    ]
    assert found.reasons == []


@BLOCKS
def test_a_field_runs_over_lines_that_look_like_rows(catalog: Catalog, block_bytes: int) -> None:
    text = "Parts list:\n2,bulb,E27,LED,warm,9\n\n3,shade,linen,white,round,15"
    rows = f'1,"Floor lamp","s","{text}","Lamps",5\n2,"n","s","d","c",x\n3,"n","s","d","c",6\n'
    found = read(catalog, "products", PRODUCT + rows, block_bytes)
    assert [(row["id"], row["description"]) for row in found.rows] == [(1, text), (3, "d")]
    assert (found.repaired, found.reasons) == (0, [(6, "bad_price")])


@BLOCKS
def test_a_reject_of_many_lines_carries_them_and_costs_no_other_row(catalog: Catalog, block_bytes: int) -> None:
    bad = ['x,1,"f","a\nb"', '1,1,"g","a\r\nb"', '3,100,"h","2,1,f,v\n2,1,f,v"']
    found = read(catalog, "features", FEATURES + "\n".join(['1,1,"f","v"', *bad, '2,1,"f","v"']) + "\n", block_bytes)
    assert (found.ids, found.reasons) == ([1, 2], [(3, "bad_id"), (5, "duplicate"), (7, "orphan")])
    assert [reject.raw.decode() for reject in sorted(found.rejects, key=lambda reject: reject.line)] == bad
    assert [row["position"] for row in found.rows] == [2, 9]


@BLOCKS
@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('1,1,"u,"t"', "bad_quotes"),
        ('1,1,"u', "missing_fields"),
        ('1,1,"u","t "x" and', "bad_quotes"),
        ('1,1,"u","t', "bad_quotes"),
    ],
)
@pytest.mark.parametrize("fault", ['x,1,"u2","t2"', '2,1,"u2","t2",more', '2,1,"u2"', '"2","x","u2","t2"', "some text"])
def test_an_open_quote_before_a_line_that_is_not_a_row_is_rejected_alone(
    catalog: Catalog, row: str, reason: str, fault: str, block_bytes: int
) -> None:
    """Its text may continue there, or the next row has its own defect: both are possible."""
    found = read(catalog, "photos", PHOTOS + f'{row}\n{fault}\n9,1,"u9","t9"\n', block_bytes)
    assert (found.ids, found.read, found.repaired) == ([9], 3, 0)
    assert (found.reasons[0], [line for line, _ in found.reasons]) == ((2, reason), [2, 3])


def test_a_field_that_closes_in_a_record_of_another_width_did_not_close(catalog: Catalog) -> None:
    found = read(catalog, "skus", SKUS + '1,1,M,5\n2,1,"S,5\n3,1,M,5\n4,1,M,5"\n5,1,M,5\n')
    assert (found.ids, found.reasons) == ([1, 3, 5], [(3, "missing_fields"), (5, "bad_quantity")])


@BLOCKS
def test_the_header_sets_the_number_of_fields_of_a_row(catalog: Catalog, block_bytes: int) -> None:
    rows = ['1,1,"f","v",2020', '2,1,"f","a\n2,1,f,g,2020",', '3,1,"f","v"', '4,1,"f","open', '5,1,"f","v",2020,,']
    header = FEATURES.replace("\n", ",created\n")
    found = read(catalog, "features", header + "\n".join([*rows, '6,1,"f","v","two\nlines"']) + "\n", block_bytes)
    assert (found.ids, found.reasons) == ([1, 2, 5, 6], [(5, "missing_fields"), (6, "missing_fields")])
    assert [(repair.line, repair.rule) for repair in found.repairs] == [(7, "surplus_fields")]


@BLOCKS
@pytest.mark.parametrize("space", ["", " ", "\t"])
def test_a_field_may_begin_on_a_line_with_quotes_in_a_bare_text(catalog: Catalog, space: str, block_bytes: int) -> None:
    rows = f'1,1,"f","v"\n2,1,30" wide,{space}"first\nsecond"\n3,1,30" wide,"open\n4,1,"f","v"\n'
    found = read(catalog, "features", FEATURES + rows, block_bytes)
    assert [row["value"] for row in found.rows] == ["v", "first\nsecond", "open", "v"]
    assert [row["feature"] for row in found.rows] == ["f", '30" wide', '30" wide', "f"]
    assert [repair.rule for repair in found.repairs] == ["space"] * bool(space) + ["open_quote"]


@pytest.mark.parametrize(("length", "is_one_field"), [(MAX_ROW_BYTES, True), (MAX_ROW_BYTES + 1, False)])
@pytest.mark.parametrize("block_bytes", [1 << 16, 1 << 20, 3 << 20])
def test_a_record_of_many_lines_has_the_limit_of_a_row(
    catalog: Catalog, length: int, is_one_field: bool, block_bytes: int
) -> None:
    text = (("x" * 40_000 + "\n") * 30)[: length - len('1,1,"f",""')]
    found = read(catalog, "features", FEATURES + f'1,1,"f","{text}"\n2,1,"f","v"\n', block_bytes)
    assert [row["value"] for row in found.rows] == [text, "v"][not is_one_field :]
    assert (found.reasons == []) == is_one_field


def test_a_field_may_run_over_the_last_of_the_lines_that_are_looked_at_together(catalog: Catalog) -> None:
    text = "\n".join(["y"] * (_MAX_LINES + 10))
    found = read(catalog, "features", FEATURES + f'1,1,"f","{text}"\n' + "x\n" * 10 + '2,1," f","first\nsecond"\n')
    assert [row["value"] for row in found.rows] == [text, "first\nsecond"]
    assert found.reasons[0] == (_MAX_LINES + 12, "missing_fields")


@pytest.mark.parametrize("line", ['1,"a","b', 'x","', '"","",",', '1,"\\""', '1,"a\\","b'])
def test_a_line_is_read_a_few_times_however_many_quotes_are_open(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """Each of these lines opens a field; none may be followed to the end of the file."""
    looked: list[int] = []
    split = record.split_fields

    def count(data: bytes, at: int, *more: object) -> record.Split:
        found = split(data, at, *more)
        looked.append(found.end - at)
        return found

    monkeypatch.setattr(record, "split_fields", count)
    found = read(catalog, "products", PRODUCT + f"{line}\n" * 1000)
    assert found.rows == []
    assert sum(looked) < 20 * 1000 * len(line)
