"""Makes the next item while the last one is in use."""

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def prefetch(items: Iterator[Item]) -> Generator[Item, None, None]:
    """Yields `items` in order; its own thread makes them, one ahead of the consumer.

    It pays where both release Python's lock: Arrow while it parses, COPY while it waits for PostgreSQL. An error while
    making an item is raised in its place. Leaving early waits for the item that is being made.
    """

    def following() -> list[Item]:
        return list(islice(items, 1))

    with ThreadPoolExecutor(max_workers=1) as maker:
        making = maker.submit(following)
        while made := making.result():
            making = maker.submit(following)
            yield from made
