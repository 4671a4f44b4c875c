"""A quote left open costs its own line at most, and a field may still run over lines."""

from reading import FEATURES, PHOTOS, read
from support import Catalog


def test_an_open_quote_before_a_whole_record_is_closed_at_the_line_end(catalog: Catalog) -> None:
    found = read(catalog, "photos", PHOTOS + '1,1,"u","t\n2,1,"u2","t2"\n')
    assert [row["thumbnail_url"] for row in found.rows] == ["t", "t2"]
    assert (found.repaired, found.reasons) == (1, [])


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
