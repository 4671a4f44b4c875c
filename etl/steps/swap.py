"""Serve the verified load: two renames in one transaction. What was served stays for `unswap`."""

import time

import psycopg

from etl.changes import Changes, append, changes_between, close_gate, compare_written
from etl.comparisons import set_compared_seq, set_served
from etl.context import Context
from etl.data_version import bump_version
from etl.database import has_schema, serving_transaction
from etl.definitions import served_sql
from etl.errors import LoadFailed
from etl.later_writes import check_rejected, describe_replay, follow_hidden, one_state, replay_documents
from etl.ledger import Load, live_load
from etl.losses import check_losses
from etl.sql import PREVIOUS, SERVED, STAGING

_HIDE_EXPORTED = (
    "INSERT INTO catalog_meta.hidden_products (id, is_hidden) "
    "SELECT unnest(hidden), true FROM catalog_meta.loads WHERE id = %s ON CONFLICT DO NOTHING"
)
_ROUNDS = 5
_SHORT_S = 0.2
"""Writes of so short a time are followed at the gate, where further writes wait."""
_SHORTER = 0.7
"""A round that takes more than this share of the one before follows writes as fast as it can here."""


def run(context: Context) -> None:
    """Renames. No request of a reader fails, and prepared statements find the new tables."""
    load = context.load_after("verify")
    connection = context.connection
    _catch_up(context, load)
    _drop_previous(connection)
    _catch_up(context, load)  # that may have waited
    with serving_transaction(connection):
        close_gate(connection)
        connection.execute(_HIDE_EXPORTED, [load.id])
        dropped = _follow_writes(context, load)
        check_rejected(connection, load, context.options.max_rejected_writes)
        is_served = has_schema(connection, SERVED)  # it may have been dropped
        changes = _changes(connection, load)
        connection.execute(f"DROP TABLE IF EXISTS {STAGING}.changes")
        if is_served:
            connection.execute(f"ALTER SCHEMA {SERVED} RENAME TO {PREVIOUS}")
        connection.execute(served_sql(STAGING))
        connection.execute(f"ALTER SCHEMA {STAGING} RENAME TO {SERVED}")
        connection.execute(
            "UPDATE catalog_meta.loads SET state = %s WHERE state = 'live'", ["previous" if is_served else "replaced"]
        )
        connection.execute(
            "UPDATE catalog_meta.loads "
            "SET step = 'swap', state = 'live', finished_at = clock_timestamp(), dropped = %s WHERE id = %s",
            [dropped, load.id],
        )
        set_served(connection)
        version = bump_version(connection, load.id)
        append(connection, "load", load.id, changes)
    replayed = "" if load.as_of is None else describe_replay(connection, load)
    lost = f"; dropped {dropped}" if dropped else ""
    context.display.say(f"load {load.id} is served (data version {version}){changes}{replayed}{lost}")


def _catch_up(context: Context, load: Load) -> None:
    """Does what the gate would wait for: all but the writes of the last moment."""
    last = float("inf")
    for _ in range(_ROUNDS):
        began = time.monotonic()
        with one_state(context.connection):
            _follow_writes(context, load)
        check_rejected(context.connection, load, context.options.max_rejected_writes)
        took = time.monotonic() - began
        if took < _SHORT_S or took > last * _SHORTER:
            return
        last = took


def _follow_writes(context: Context, load: Load) -> str | None:
    """Replays the writes since the last call, or refuses to lose them, and compares what they changed.

    Returns:
        The writes that --drop-writes loses, in words.
    """
    connection = context.connection
    dropped = None
    if load.as_of is None:
        dropped = check_losses(context)
    else:
        replay_documents(connection, load)
    is_compared = _is_compared(connection, load)
    follow_hidden(connection, load, STAGING, keeps_times=is_compared)
    if is_compared:
        compare_written(connection, load.id)
        set_compared_seq(connection, load.id)
    return dropped


def _is_compared(connection: psycopg.Connection, load: Load) -> bool:
    live = live_load(connection)
    return live is not None and live.id == load.compared_with


def _changes(connection: psycopg.Connection, load: Load) -> Changes:
    if not _is_compared(connection, load):
        return Changes()
    return changes_between(connection, "load", following=STAGING, schema=STAGING)


def _drop_previous(connection: psycopg.Connection) -> None:
    """Its own transaction, so that the renames never wait for a reader of the data before last."""
    try:
        with serving_transaction(connection):
            connection.execute(f"DROP SCHEMA IF EXISTS {PREVIOUS} CASCADE")
            connection.execute("UPDATE catalog_meta.loads SET state = 'replaced' WHERE state = 'previous'")
    except psycopg.errors.LockNotAvailable:
        raise LoadFailed(
            f"another session still reads {PREVIOUS} (see pg_stat_activity): end that query, then run `swap` again"
        ) from None
