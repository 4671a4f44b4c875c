"""Work on several connections ends at once when one part fails or the operator interrupts it."""

from collections.abc import Iterator
from threading import Event

import psycopg
import pytest
from psycopg.errors import QueryCanceled
from support import Database

from etl.parallel import on_connections

LONGER_THAN_A_TEST = "SELECT pg_sleep(90)"


class InterruptedAfterTheFirst(list[int]):
    """The operator presses Ctrl-C when the second item is to be handed out, once the first is `at_work`."""

    def __init__(self, at_work: Event) -> None:
        super().__init__([0, 1])
        self._at_work = at_work

    def __iter__(self) -> Iterator[int]:
        yield 0
        self._at_work.wait()
        raise KeyboardInterrupt


def test_an_interrupt_while_items_are_handed_out_ends_the_statements_under_way(database: Database) -> None:
    at_work, ended = Event(), []

    def work(opened: psycopg.Connection, item: int) -> None:
        at_work.set()
        try:
            opened.execute(LONGER_THAN_A_TEST)
        except QueryCanceled:
            ended.append(item)

    with pytest.raises(KeyboardInterrupt):
        on_connections(database.loader, 2, InterruptedAfterTheFirst(at_work), work)
    assert ended == [0]


def test_a_statement_that_was_about_to_be_sent_when_the_others_were_ended_is_ended_too(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_told, ended = Event(), []
    cancel = psycopg.Connection.cancel_safe

    def cancel_and_tell(opened: psycopg.Connection, *, timeout: float = 30.0) -> None:
        cancel(opened, timeout=timeout)
        all_told.set()

    monkeypatch.setattr(psycopg.Connection, "cancel_safe", cancel_and_tell)

    def work(opened: psycopg.Connection, item: int) -> None:
        if item == 0:
            opened.execute("SELECT 1 / 0")
        all_told.wait()
        try:
            opened.execute(LONGER_THAN_A_TEST)
        except QueryCanceled:
            ended.append(item)

    with pytest.raises(psycopg.errors.DivisionByZero):
        on_connections(database.loader, 2, [1, 0], work)
    assert ended == [1]
