"""The rules of the six files, each with a good and a bad row."""

from decimal import Decimal

import pytest
from reading import FEATURES, PHOTOS, PRODUCT, RELATED, SKUS, STYLES, Read, read
from support import Catalog


def price(catalog: Catalog, written: str) -> Read:
    return read(catalog, "products", PRODUCT + f'1,"n","s","d","c",{written}\n')


@pytest.mark.parametrize("text", ['7,1,"M",5\n', 'id,styleId,size,quantity\n7,1,"M",5\n'])
def test_a_header_is_optional(catalog: Catalog, text: str) -> None:
    assert read(catalog, "skus", text).rows == [{"id": 7, "style_id": 1, "size": "M", "quantity": 5}]


@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ('null,1,"f","v"', "null_value"),
        ('abc,1,"f","v"', "bad_id"),
        ('1,1,"value"', "missing_fields"),
        ('-1,1,"value","v"', "bad_id"),
    ],
)
def test_a_bad_first_row_of_a_file_without_header_is_rejected_alone(
    catalog: Catalog, first: str, reason: str, block_bytes: int
) -> None:
    found = read(catalog, "features", f'\r\n{first}\n\n2,1,"f","v"\n', block_bytes)
    assert (found.ids, found.reasons) == ([2], [(2, reason)])


def test_blank_lines_may_precede_a_header(catalog: Catalog) -> None:
    found = read(catalog, "skus", '\n\r\nquantity,id,styleId,size\n5,1,1,"M"\nx,2,1,"M"\n')
    assert (found.ids, found.reasons) == ([1], [(5, "bad_quantity")])


def test_a_first_row_may_hold_the_name_of_a_column(catalog: Catalog) -> None:
    assert read(catalog, "features", '1,1,"Feature","Canvas"\n').rows[0]["feature"] == "Feature"


@pytest.mark.parametrize(
    "header", ["Quantity, SIZE ,Style_Id,ID", "quantity,size,styleId,id", '"quantity","size","style id","id"']
)
def test_the_header_sets_the_order_in_any_case_and_spacing(catalog: Catalog, header: str) -> None:
    found = read(catalog, "skus", f'{header}\n5,"M",1,7\n')
    assert found.rows == [{"id": 7, "style_id": 1, "size": "M", "quantity": 5}]


def test_product_ids_are_found_under_each_of_their_names(catalog: Catalog) -> None:
    for name in ("productId", "product_id", "current_product_id"):
        assert read(catalog, "features", f'id,{name},feature,value\n1,5,"f","v"\n').rows[0]["product_id"] == 5


def test_byte_order_mark_and_crlf_are_accepted_without_a_repair(catalog: Catalog) -> None:
    text = b"\xef\xbb\xbf" + SKUS.encode().replace(b"\n", b"\r\n") + b'1,1,"M",5\r\n2,1,"L",6'
    found = read(catalog, "skus", text)
    assert (found.ids, found.repaired, found.reasons) == ([1, 2], 0, [])


def test_a_crlf_line_in_an_lf_file_is_accepted_without_a_repair(catalog: Catalog) -> None:
    found = read(catalog, "skus", SKUS + '1,1,"M",5\r\n2,1,"L",6\n')
    assert (found.ids, found.repaired) == ([1, 2], 0)


@pytest.mark.parametrize(
    ("junk", "reason"),
    [(b"\0", "nul_byte"), (b"\xff", "invalid_utf8"), (b"\xc0\xaf", "invalid_utf8"), (b"\xed\xa0\x80", "invalid_utf8")],
)
def test_a_row_with_bytes_that_are_not_text_is_rejected_alone(catalog: Catalog, junk: bytes, reason: str) -> None:
    rows = b'1,1,"M",5\n2,1,"' + junk + b'",6\n3,1,"\xc3\xa9",6\n'
    found = read(catalog, "skus", SKUS.encode() + rows)
    assert (found.ids, found.reasons) == ([1, 3], [(3, reason)])
    assert found.rows[1]["size"] == "é"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n"])
def test_a_row_with_a_cr_outside_of_quotes_is_rejected_alone(catalog: Catalog, end: str) -> None:
    rows = ['1,1,"M",5', "2,1,a\rb,5", '3,1,"M\r",5', '4,1,"M",5\r5,1,"M",5', "6,1,L,7\r8", ""]
    found = read(catalog, "skus", SKUS.strip() + end + end.join(rows))
    assert found.ids == [1, 3]
    assert [line for line, _ in found.reasons] == [3, 5, 6]


def test_space_around_bare_values_is_trimmed_and_space_inside_quotes_stays(catalog: Catalog) -> None:
    found = read(catalog, "skus", SKUS + ' 1 , 1 , M , 5 \n2,1," M ",5\n')
    assert [row["size"] for row in found.rows] == ["M", " M "]
    assert found.repaired == 1


@pytest.mark.parametrize("null", ["null", "NULL", "Null", "", " null ", "\\N"])
def test_bare_null_is_null_where_it_may_be(catalog: Catalog, null: str) -> None:
    assert read(catalog, "features", FEATURES + f'1,1,"f",{null}\n').rows[0]["value"] is None
    assert read(catalog, "styles", STYLES + f'1,1,"n",{null},5,1\n').rows[0]["sale_price"] is None


@pytest.mark.parametrize("null", ["null", "NULL", "", "\\N"])
def test_bare_null_elsewhere_rejects_the_row(catalog: Catalog, null: str) -> None:
    assert read(catalog, "skus", SKUS + f"1,1,{null},5\n").reasons == [(2, "null_value")]
    assert read(catalog, "skus", SKUS + f'{null},1,"M",5\n').reasons == [(2, "null_value")]
    assert price(catalog, null).reasons == [(2, "null_value")]


def test_quoted_null_and_quoted_nothing_are_text(catalog: Catalog) -> None:
    found = read(catalog, "features", FEATURES + '1,1,"null",""\n2,1,"\\N","None"\n3,1,"f",NaN\n')
    values = [("null", ""), ("\\N", "None"), ("f", "NaN")]
    assert ([(row["feature"], row["value"]) for row in found.rows], found.repaired) == (values, 0)


@pytest.mark.parametrize("null", ['""', '"null"', '"NULL"', '"\\N"', "\\N"])
def test_quotes_around_a_missing_number_mean_nothing(catalog: Catalog, null: str) -> None:
    found = read(catalog, "styles", STYLES + f'1,1,"n",{null},5,1\n')
    assert (found.rows[0]["sale_price"], found.repaired) == (None, 0)
    for row in (f'1,1,"n",null,{null},1', f'1,1,"n",null,5,{null}', f'{null},1,"n",null,5,1'):
        [(line, reason)] = read(catalog, "styles", f"{STYLES}{row}\n").reasons
        assert (line, reason.split("_")[0]) == (2, "bad" if null.startswith('"') else "null")


@pytest.mark.parametrize(
    ("row", "reason", "detail"),
    [
        ('1,"n","s","d","c",""', "bad_price", "default_price is empty"),
        ('1,"n","s","d","c",', "null_value", "default_price is empty"),
        ('1,"n","s","d","c",\\N', "null_value", "default_price is \\N"),
        ('1,\\N,"s","d","c",5', "null_value", "name is \\N"),
        ('1,"n","s","d","c",NaN', "bad_price", "default_price is 'NaN'; write null for no value"),
        ('1,"n","s","d","c",None', "bad_price", "default_price is 'None'; write null for no value"),
        ('1,"n","s","d","c",N/A', "bad_price", "default_price is 'N/A'; write null for no value"),
        (",,,,,", "null_value", "the row is empty: only commas, as spreadsheets write a row without content"),
        (" , ,\t,,,,,", "null_value", "the row is empty: only commas, as spreadsheets write a row without content"),
    ],
)
def test_a_missing_value_is_named(catalog: Catalog, row: str, reason: str, detail: str) -> None:
    [reject] = read(catalog, "products", f'{PRODUCT}{row}\n2,"n","s","d","c",5\n').rejects
    assert (reject.line, reject.reason, reject.detail) == (2, reason, detail)


@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_a_line_end_with_a_second_cr_is_accepted_without_a_repair(catalog: Catalog, block_bytes: int) -> None:
    """A CRLF file that was written again as text has CR CR LF."""
    lines = [SKUS.strip(), '1,1,"M",5', "", '2,1,"a\rb",6', "3,1,L,7", '4,1,"two\r\r\nlines",8', ""]
    found = read(catalog, "skus", "\r\r\n".join(lines), block_bytes)
    sizes = [row["size"] for row in found.rows]
    assert (sizes, found.repaired, found.reasons) == (["M", "a\rb", "L", "two\r\r\nlines"], 0, [])


@pytest.mark.parametrize("written", ["140", "49.99", "49.50", "0", "19.999", "0.1", "12345678901234567890"])
def test_prices_are_exact(catalog: Catalog, written: str) -> None:
    found = price(catalog, written)
    assert (found.rows[0]["default_price"], found.repaired) == (Decimal(written), 0)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (" 140", "140"),
        ("$140", "140"),
        ('"default_price": 49', "49"),
        ('" 140"', "140"),
        (" " + "0" * 20 + "140", "140"),
    ],
)
def test_known_slips_in_prices_are_repaired(catalog: Catalog, written: str, value: str) -> None:
    found = price(catalog, written)
    assert (found.rows[0]["default_price"], found.repaired) == (Decimal(value), 1)


@pytest.mark.parametrize(
    "written",
    ["-5", "free", "1e3", "NaN", "1e309", "12.3.4", '"1,000"', "0000-00-00", "١٤٠", "1_000", "5.", "0x10",
     '"other: 5"', "1" * 21, "€5", "+5"],
)  # fmt: skip
def test_other_prices_reject_the_row(catalog: Catalog, written: str) -> None:
    assert price(catalog, written).reasons == [(2, "bad_price")]


@pytest.mark.parametrize("written", ["1", "2147483647"])
def test_ids_reach_from_1_to_the_largest_integer(catalog: Catalog, written: str) -> None:
    assert read(catalog, "skus", SKUS + f'{written},1,"M",5\n').ids == [int(written)]


@pytest.mark.parametrize("written", ["0", "-3", "2147483648", "9" * 5000, "abc", "1.5", "٣", "²", "0x3", '""'])
def test_other_ids_reject_the_row(catalog: Catalog, written: str) -> None:
    sound = '9,1,"M",5\n'
    assert read(catalog, "skus", SKUS + f'{written},1,"M",5\n' + sound).reasons == [(2, "bad_id")]
    assert read(catalog, "skus", SKUS + f'1,{written},"M",5\n' + sound).reasons == [(2, "bad_id")]


def test_quantities_reach_from_0_to_the_largest_integer(catalog: Catalog) -> None:
    found = read(catalog, "skus", SKUS + '1,1,"M",0\n2,1,"M",2147483647\n3,1,"M",2147483648\n4,1,"M",-1\n')
    assert (found.ids, found.reasons) == ([1, 2], [(4, "bad_quantity"), (5, "bad_quantity")])


@pytest.mark.parametrize(("written", "value"), [("0", False), ("1", True), ("true", True), ("FALSE", False)])
def test_default_style_is_read(catalog: Catalog, written: str, value: bool) -> None:
    assert read(catalog, "styles", STYLES + f'1,1,"n",null,5,{written}\n').rows[0]["is_default"] is value


@pytest.mark.parametrize("written", ["2", "maybe", "-1"])
def test_another_default_style_rejects_the_row(catalog: Catalog, written: str) -> None:
    assert read(catalog, "styles", STYLES + f'1,1,"n",null,5,{written}\n').reasons == [(2, "bad_boolean")]


def test_extra_fields_are_a_repair_and_missing_fields_a_rejection(catalog: Catalog) -> None:
    found = read(catalog, "skus", SKUS + '1,1,"M",5,5,\n2,1,"M"\n3,1,"M",5\n4\n')
    assert (found.ids, found.repaired) == ([1, 3], 1)
    assert found.reasons == [(3, "missing_fields"), (5, "missing_fields")]


def test_sizes_are_text(catalog: Catalog) -> None:
    found = read(catalog, "skus", SKUS + '1,1,"7",5\n2,1,"7.5",5\n3,1,"One Size",5\n4,1,XL,5\n')
    assert [row["size"] for row in found.rows] == ["7", "7.5", "One Size", "XL"]


@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_the_first_of_two_equal_ids_stays(catalog: Catalog, block_bytes: int) -> None:
    found = read(catalog, "skus", SKUS + '5,1,"first",1\n6,1,"M",1\n5,1,"second",2\n', block_bytes)
    assert [row["size"] for row in found.rows] == ["first", "M"]
    assert found.reasons == [(4, "duplicate")]


def test_a_rejected_row_leaves_its_id_to_the_next(catalog: Catalog) -> None:
    found = read(catalog, "skus", SKUS + '5,1,"M",many\n5,100,"M",1\n5,1,"M",1\n')
    assert (found.ids, found.reasons) == ([5], [(2, "bad_quantity"), (3, "orphan")])


@pytest.mark.parametrize(
    ("table", "sound", "orphan"),
    [
        ("styles", '1,99,"n",null,5,1', '2,100,"n",null,5,1'),
        ("photos", '1,99,"u","t"', '2,100,"u","t"'),
        ("skus", '1,99,"M",5', '2,100,"M",5'),
        ("features", '1,99,"f","v"', '2,100,"f","v"'),
        ("related", "1,99,1", "2,100,1"),
        ("related", "1,1,99", "2,1,100"),
        ("related", "1,1,1", "2,1,0"),
        ("related", "1,99,99", "2,100,100"),
    ],
)
def test_a_row_whose_parent_was_not_loaded_is_rejected(catalog: Catalog, table: str, sound: str, orphan: str) -> None:
    found = read(catalog, table, f"{sound}\n{orphan}\n")
    assert (found.ids, found.reasons) == ([1], [(2, "orphan")])


def test_self_references_and_repeated_targets_stay(catalog: Catalog) -> None:
    assert read(catalog, "related", RELATED + "1,1,1\n2,1,2\n3,1,2\n").ids == [1, 2, 3]


def test_file_order_is_kept_where_the_contract_shows_it(catalog: Catalog) -> None:
    found = read(catalog, "photos", PHOTOS + '8,1,"u8","t"\n7,1,"u7","t"\n')
    positions = [int(str(row["position"])) for row in found.rows]
    assert positions == sorted(set(positions))
    assert found.ids == [8, 7]


def test_blank_lines_are_not_rows(catalog: Catalog) -> None:
    found = read(catalog, "skus", SKUS + '\n1,1,"M",5\n\n\r\n2,1,"M",x\n\n')
    assert (found.ids, found.reasons, found.read) == ([1], [(6, "bad_quantity")], 2)


def test_a_reject_carries_the_raw_line(catalog: Catalog) -> None:
    [reject] = read(catalog, "skus", SKUS + '1,1,"M",5\n2,1,"a, ""b""",many\n').rejects
    assert reject.raw == b'2,1,"a, ""b""",many'


def test_a_reject_shows_the_beginning_of_its_first_problem(catalog: Catalog) -> None:
    [long] = read(catalog, "skus", SKUS + f'1,1,"M",{"x" * 5000}\n').rejects
    assert long.detail == f"quantity is '{'x' * 60}'"
    [twice] = read(catalog, "related", RELATED + "1,100,101\n").rejects
    assert twice.detail == "product_id 100 is not loaded"


def test_space_around_a_quoted_number_is_a_repair(catalog: Catalog) -> None:
    found = read(catalog, "skus", SKUS + '1,1,"M"," 5 "\n')
    assert (found.rows[0]["quantity"], found.repaired) == (5, 1)
