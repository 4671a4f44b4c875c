"""A load moves the sequences of new ids past its own."""

import pytest
from support import Catalog, Database, load

FIRST, LAST = 1_500_000_001, 2_147_483_647
GIVEN = (
    "SELECT last_value FROM pg_sequences WHERE schemaname = 'catalog_log' AND sequencename LIKE '%_ids' "
    "ORDER BY sequencename"
)


@pytest.mark.parametrize(
    ("ids", "given"),
    [
        ([FIRST, FIRST + 1, LAST], FIRST + 1),
        ([FIRST + 5], FIRST + 5),
        ([FIRST + 3, FIRST + 5], FIRST + 5),
        ([LAST - 1], FIRST + 5),
    ],
)
def test_new_ids_begin_where_most_are_free(database: Database, catalog: Catalog, ids: list[int], given: int) -> None:
    for row in ids:
        catalog.append("product.csv", f'{row},"A","a","aa","Hats",1\n')
        catalog.append("styles.csv", f'{row},{row},"Red",null,1,1\n')
        catalog.append("skus.csv", f'{row},{row},"M",1\n')
    assert load(database, catalog).status == 0
    assert database.query(GIVEN) == [(given,)] * 3
