"""Changes of a swap or an unswap to what is served, and their commit in catalog_log (db/log)."""

from dataclasses import dataclass, field, fields

import psycopg
from psycopg.rows import class_row

from etl.definitions import document_parts
from etl.sql import SERVED, STAGING, fill, read_sql

_COUNTED = ("added", "changed", "restocked", "removed")


@dataclass(frozen=True)
class Changes:
    """The lists of a commit by id. When it is whole they are empty, and any product may have changed."""

    created: list[int] = field(default_factory=list)
    updated: list[int] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)
    restocked: list[int] = field(default_factory=list)
    cards: list[int] = field(default_factory=list)
    is_whole: bool = True
    counts: list[int] | None = None
    """Products of each kind in _COUNTED, also when it is whole; None when nothing could be compared."""

    def __str__(self) -> str:
        """Ends a line that says what is served."""
        if self.counts is None:
            return ""
        first, *others = (f"{count:,} {word}" for count, word in zip(self.counts, _COUNTED, strict=True))
        return ": " + ", ".join([first.replace(" ", " product " if self.counts[0] == 1 else " products "), *others])


def close_gate(connection: psycopg.Connection) -> None:
    """Waits for open writes and holds others back until the transaction ends, as its first statement."""
    connection.execute("SELECT pg_advisory_xact_lock(catalog_log.gate())")


def compare_written(connection: psycopg.Connection, load_id: int) -> None:
    """Lists the changes of a load in staging anew for products that were written since it was compared."""
    with psycopg.RawCursor(connection) as cursor:
        cursor.execute(_comparing("compare", STAGING, schema=STAGING), [load_id])


def changes_between(
    connection: psycopg.Connection, name: str, *, following: str, parameter: int | None = None, **schemas: str
) -> Changes:
    """Runs db/log/NAME.sql, which says how the schema `following` differs from what is served."""
    with psycopg.RawCursor(connection, row_factory=class_row(Changes)) as cursor:
        sql = _comparing(name, following, **schemas)
        found = cursor.execute(sql, [] if parameter is None else [parameter]).fetchone()
    assert found is not None
    return found


def _comparing(name: str, following: str, **schemas: str) -> str:
    parts = document_parts()
    before, after = (fill(parts["stored"], schema=schema) for schema in (SERVED, following))
    lists = read_sql("log/lists.sql", schema=following)
    return read_sql(
        f"log/{name}.sql",
        before=before,
        after=after,
        changes=parts["changes"],
        lists=lists,
        served=SERVED,
        **schemas,
        wanted="IN (SELECT id FROM candidate)",
    )


def append(connection: psycopg.Connection, kind: str, load_id: int | None, changes: Changes) -> None:
    """Appends the commit. The end of its transaction: others wait for the number from here on."""
    lists = [getattr(changes, name.name) for name in fields(Changes)[:6]]
    connection.execute(
        "SELECT catalog_log.append(%s, %s, %s::int[], %s::int[], %s::int[], %s::int[], %s::int[], %s)",
        [kind, load_id, *lists],
    )
    connection.execute(read_sql("log/mark_written.sql", served=SERVED))
