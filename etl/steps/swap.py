"""Serve the verified load: two renames in one transaction. What was served stays for `unswap`."""

import psycopg

from etl.changes import Changes, append, changes_between, close_gate
from etl.context import Context
from etl.data_version import bump_version
from etl.database import PREVIOUS, SERVED, STAGING, fill, has_schema, read_sql, serving_transaction
from etl.definitions import document_parts
from etl.errors import LoadFailed
from etl.ledger import Load, live_load, set_served
from etl.losses import check_losses


def run(context: Context) -> None:
    """Renames. No request of a reader fails, and prepared statements find the new tables."""
    load = context.load_after("verify")
    connection = context.connection
    _drop_previous(connection)
    with serving_transaction(connection):
        close_gate(connection)
        dropped = check_losses(context)
        is_served = has_schema(connection, SERVED)  # it may have been dropped
        changes = _changes(connection, load)
        connection.execute(f"DROP TABLE IF EXISTS {STAGING}.changes")
        if is_served:
            connection.execute(f"ALTER SCHEMA {SERVED} RENAME TO {PREVIOUS}")
        connection.execute(_served_sql())
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
    context.display.say(
        f"load {load.id} is served (data version {version}){changes}{'; dropped ' + dropped if dropped else ''}"
    )


def _changes(connection: psycopg.Connection, load: Load) -> Changes:
    live = live_load(connection)
    if live is None or live.id != load.compared_with:
        return Changes()
    return changes_between(connection, "load", following=STAGING, parameter=load.compared_seq, schema=STAGING)


def _served_sql() -> str:
    styles = fill(document_parts()["styles"], wanted="= $1", schema=SERVED)
    return read_sql("schema/007_served.sql", styles=styles, schema=STAGING)


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
