"""Replays writes that the files lack onto the load in staging (db/replay)."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from etl.config import Cursor
from etl.definitions import document_parts
from etl.errors import LoadFailed, Refused
from etl.ledger import Load, live_load
from etl.sql import SERVED, STAGING, fill, read_sql

_AT_ONCE = 2000
"""Products whose documents one statement makes."""
_KEEP_TIMES = read_sql("replay/times.sql", schema=STAGING, served=SERVED)


def check_cursor(connection: psycopg.Connection, cursor: Cursor) -> None:
    """Refuses a cursor after which the log is not whole.

    Raises:
        Refused: with the reason.
    """
    if live_load(connection) is None:
        raise Refused("nothing is served, so there are no writes to replay: leave out --as-of")
    why = _why_not(connection, cursor)
    if why:
        raise Refused(f"--as-of {cursor} {why}: give the cursor that the exporting system had read, or --drop-writes")


@contextmanager
def one_state(connection: psycopg.Connection) -> Iterator[None]:
    """A transaction whose statements all see the same writes."""
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def replay_rows(connection: psycopg.Connection, load: Load) -> None:
    """Replays onto rows that have no documents yet, in the transaction of the caller."""
    counts = read_sql("replay/counts.sql", schema=STAGING)
    _replay(connection, load, f"CREATE TEMP TABLE counted ON COMMIT DROP AS {counts}")
    connection.execute(read_sql("replay/row_counts.sql", counts=counts, load_id=str(load.id)))


def replay_documents(connection: psycopg.Connection, load: Load) -> None:
    """Replays onto rows, and makes the documents and cards of the products follow."""
    _replay(connection, load)
    ids = [
        row[0]
        for row in connection.execute("SELECT id FROM touched UNION SELECT id FROM restocked ORDER BY id").fetchall()
    ]
    follow = read_sql("replay/documents.sql", schema=STAGING)
    with psycopg.RawCursor(connection) as cursor:
        for part, seq in _rebuilt(cursor, ids, load, STAGING):
            cursor.execute(_KEEP_TIMES, [part])
            cursor.execute(follow, [part, seq])


def follow_hidden(connection: psycopg.Connection, load: Load, schema: str, *, keeps_times: bool = False) -> None:
    """Hides and publishes products of a load that is about to be served, as catalog_meta.hidden_products says."""
    with psycopg.RawCursor(connection) as cursor:
        ids = [row[0] for row in cursor.execute(read_sql("log/hidden_changes.sql", schema=schema)).fetchall()]
        shown = read_sql("log/mark_shown.sql", schema=schema)
        for part, _ in _rebuilt(cursor, ids, load, schema):
            if keeps_times:
                cursor.execute(_KEEP_TIMES, [part])
            cursor.execute(shown, [part])


def _rebuilt(cursor: psycopg.RawCursor, ids: list[int], load: Load, schema: str) -> Iterator[tuple[list[int], int]]:
    """Makes documents and cards again. Yields the ids of each statement, and the last commit before the first."""
    parts = document_parts()
    rebuild = fill(parts["rebuild"], **parts, wanted="= ANY ($1::int[])", schema=schema)
    now = cursor.execute("SELECT clock_timestamp(), seq FROM catalog_log.head").fetchone()
    assert now is not None
    for first in range(0, len(ids), _AT_ONCE):
        part = ids[first : first + _AT_ONCE]
        cursor.execute(rebuild, [part, load.campus, load.id, now[0]])
        yield part, now[1]


def _replay(connection: psycopg.Connection, load: Load, before_rows: str = "") -> None:
    row = connection.execute(
        "SELECT era, coalesce(replayed_seq, as_of), CASE WHEN replayed_seq IS NULL THEN as_of_index END "
        "FROM catalog_meta.loads, catalog_log.head WHERE id = %s",
        [load.id],
    ).fetchone()
    assert row is not None
    why = _why_not(connection, Cursor(*row))
    if why:
        raise LoadFailed(f"the writes since {Cursor(*row)} cannot be replayed: it {why}; `load` the files again")
    names = {"schema": STAGING, "served": SERVED, "load_id": str(load.id)}
    content = read_sql("replay/content.sql", wanted="IN (SELECT product_id FROM revised)")
    connection.execute(read_sql("replay/writes.sql", content=content, **names))
    if before_rows:
        connection.execute(before_rows)
    connection.execute(rows_sql(**names))
    for part in ("stock", "end"):
        connection.execute(read_sql(f"replay/{part}.sql", **names))


def rows_sql(**names: str) -> str:
    """replay/rows.sql with the statements of writes, which here take their rows from the tables `gone` and `kept`."""
    owners = {
        table: f"ARRAY(SELECT owner FROM gone WHERE kind = '{table}')"
        for table in ("products", "features", "related", "photos")
    }
    pairs = {table: f"(SELECT owner, id FROM gone WHERE kind = '{table}')" for table in ("styles", "skus")}
    objects = {
        table: f"(SELECT value FROM kept WHERE kind = '{table}') AS each CROSS JOIN jsonb_to_record(each.value)"
        for table in (*owners, *pairs)
    }
    remove = read_sql("writes/remove_rows.sql", **owners, **pairs)
    put = read_sql("writes/put_rows.sql", **objects)
    return read_sql("replay/rows.sql", remove_rows=remove, put_rows=put, **names)


def check_rejected(connection: psycopg.Connection, load: Load, most: int) -> None:
    """Fails a load onto which too many writes could not be replayed. What is served stays.

    Raises:
        LoadFailed: with their reasons.
    """
    rows = connection.execute(
        "SELECT reason, count(*)::int FROM catalog_meta.rejected_writes "
        "WHERE load_id = %s GROUP BY reason ORDER BY count(*) DESC, reason",
        [load.id],
    ).fetchall()
    count = sum(row[1] for row in rows)
    if count > most:
        reasons = ", ".join(f"{reason} {number:,}" for reason, number in rows)
        raise LoadFailed(
            f"{count:,} writes cannot be replayed ({reasons}), more than {most:,}: see catalog_meta.rejected_writes "
            f"and correct the files, or run the same command again with --max-rejected-writes {count}"
        )


def describe_replay(connection: psycopg.Connection, load: Load) -> str:
    """The count of replayed writes, for the line that says what is served."""
    row = connection.execute(
        "SELECT replayed_products, replayed_operations, "
        "(SELECT count(*) FROM catalog_meta.rejected_writes WHERE load_id = loads.id) "
        "FROM catalog_meta.loads WHERE id = %s",
        [load.id],
    ).fetchone()
    assert row is not None
    return f"; replayed writes of {row[0]:,} products and {row[1]:,} operations of stock, {row[2]:,} rejected"


def _why_not(connection: psycopg.Connection, cursor: Cursor) -> str | None:
    with psycopg.RawCursor(connection) as asked:
        row = asked.execute(read_sql("replay/cursor.sql"), [cursor.seq, cursor.era, cursor.index]).fetchone()
    assert row is not None
    found: str | None = row[0]
    return found
