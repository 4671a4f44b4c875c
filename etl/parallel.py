"""Runs work on several connections at once. Threads are enough: the work is PostgreSQL's."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from queue import SimpleQueue
from typing import TypeVar

import psycopg

from etl.database import working_connection

Item = TypeVar("Item")


def on_connections(
    database_url: str,
    jobs: int,
    items: Sequence[Item],
    work: Callable[[psycopg.Connection, Item], None],
    settings: Sequence[str] = (),
) -> None:
    """Calls `work` for every item, in order, on at most `jobs` connections.

    Args:
        settings: SET statements for each connection.

    Raises:
        The first error of `work`; items that were not begun are left out.
    """
    with ExitStack() as stack:
        free: SimpleQueue[psycopg.Connection] = SimpleQueue()
        for _ in range(min(jobs, len(items))):
            connection = stack.enter_context(working_connection(database_url))
            for setting in settings:
                connection.execute(setting)
            free.put(connection)

        def do(item: Item) -> None:
            connection = free.get()
            try:
                work(connection, item)
            finally:
                free.put(connection)

        with ThreadPoolExecutor(max_workers=max(1, jobs)) as threads:
            futures = [threads.submit(do, item) for item in items]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                raise


def execute(connection: psycopg.Connection, statement: str) -> None:
    """For `on_connections` when each item is a statement."""
    connection.execute(statement)
