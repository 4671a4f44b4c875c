"""Runs work on several connections at once. Threads suffice: PostgreSQL does the work."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from contextlib import AbstractContextManager, ExitStack, suppress
from queue import SimpleQueue
from typing import TypeVar

import psycopg

from etl.database import working_connection

Item = TypeVar("Item")
_CANCEL_TIMEOUT_S = 5
_CANCEL_AGAIN_S = 1


def on_connections(
    database_url: str,
    jobs: int,
    items: Sequence[Item],
    work: Callable[[psycopg.Connection, Item], None],
    settings: Sequence[str] = (),
    opened: Callable[[str], AbstractContextManager[psycopg.Connection]] = working_connection,
) -> None:
    """Calls `work` for every item, in order, on at most `jobs` connections.

    Args:
        settings: SET statements for each connection.
        opened: opens each; the default one makes a later loader wait.

    Raises:
        The first error of `work`; items that have not begun are skipped.
    """
    with ExitStack() as stack:
        free: SimpleQueue[psycopg.Connection] = SimpleQueue()
        connections: list[psycopg.Connection] = []
        for _ in range(min(jobs, len(items))):
            connection = stack.enter_context(opened(database_url))
            for setting in settings:
                connection.execute(setting)
            free.put(connection)
            connections.append(connection)

        def do(item: Item) -> None:
            connection = free.get()
            try:
                work(connection, item)
            finally:
                free.put(connection)

        with ThreadPoolExecutor(max_workers=max(1, jobs)) as threads:
            futures: list[Future[None]] = []
            try:
                futures += (threads.submit(do, item) for item in items)
                for future in as_completed(futures):
                    future.result()
            except BaseException:
                threads.shutdown(wait=False, cancel_futures=True)
                # The threads wait for their statements, and an operator who pressed Ctrl-C waits for the threads.
                # Cancelling is repeated: a thread may send its statement just after a cancel.
                while at_work := [future for future in futures if not future.done()]:
                    for connection in connections:
                        with suppress(psycopg.Error):
                            connection.cancel_safe(timeout=_CANCEL_TIMEOUT_S)
                    wait(at_work, timeout=_CANCEL_AGAIN_S)
                raise


def execute(connection: psycopg.Connection, statement: str) -> None:
    """For `on_connections` when each item is a statement."""
    connection.execute(statement)
