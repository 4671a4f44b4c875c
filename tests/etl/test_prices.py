"""Prices are exact in the database, and no text for a price is slow to read."""

import random
import signal

import pytest
from reading import PRODUCT, read
from support import WAIT_S, Catalog, Database, load


def test_prices_in_the_database_have_the_digits_of_the_file(database: Database, catalog: Catalog) -> None:
    rng = random.Random(1)
    given = ["99999999999999999999.999999999999999999", "0.000000000000000001", "0", "10000", "0.00010000"]
    for _ in range(500):
        whole = str(rng.randrange(10 ** rng.randint(1, 20)))
        decimals = "".join(rng.choices("0123456789", k=rng.randint(0, 18)))
        given.append(f"{whole}.{decimals}" if decimals else whole)
    catalog.write("product.csv", PRODUCT + "".join(f'{n},"A","a","aa","Hats",{p}\n' for n, p in enumerate(given, 1)))
    assert load(database, catalog).status == 0
    stored = database.query("SELECT trim_scale(default_price)::text FROM catalog.products ORDER BY id")
    assert [price for (price,) in stored] == [_without_last_zeros(price) for price in given]


def _without_last_zeros(price: str) -> str:
    return price.rstrip("0").rstrip(".") if "." in price else price


@pytest.mark.parametrize("written", ["\x0b" * 10**6 + "x", "default_price:" + " " * 10**6 + "x", "\xa0" * 400_000])
def test_a_megabyte_of_space_for_a_price_is_rejected_at_once(catalog: Catalog, written: str) -> None:
    """A regular expression once tried each way to divide the space, for two hours."""

    def give_up(*_: object) -> None:
        raise TimeoutError

    handler = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(WAIT_S)
    try:
        found = read(catalog, "products", PRODUCT + f'1,"n","s","d","c",{written}\n')
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
    assert found.reasons == [(2, "bad_price")]
