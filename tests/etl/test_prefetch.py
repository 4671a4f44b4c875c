"""The next item is made while the last one is in use, and an error takes the place of its item."""

import threading
from collections.abc import Iterator

import pytest

from etl.prefetch import prefetch


def test_items_come_in_order_and_end() -> None:
    assert list(prefetch(iter(range(1000)))) == list(range(1000))
    assert list(prefetch(iter([]))) == []


def test_an_item_is_made_while_the_one_before_it_is_in_use() -> None:
    second_made = threading.Event()

    def make() -> Iterator[int]:
        yield 1
        second_made.set()
        yield 2

    items = prefetch(make())
    assert next(items) == 1
    assert second_made.wait(timeout=10)
    assert list(items) == [2]


def test_only_one_item_waits() -> None:
    made = []

    def make() -> Iterator[int]:
        for item in range(5):
            made.append(item)
            yield item

    for item in prefetch(make()):
        assert len(made) <= item + 2


def test_an_error_comes_after_the_items_before_it() -> None:
    def make() -> Iterator[int]:
        yield 1
        raise ValueError("the second")

    items = prefetch(make())
    assert next(items) == 1
    with pytest.raises(ValueError, match="the second"):
        next(items)


def test_leaving_early_ends_the_thread() -> None:
    items = prefetch(iter(range(1000)))
    before = threading.active_count()
    assert next(items) == 0
    assert threading.active_count() == before + 1
    items.close()
    assert threading.active_count() == before
