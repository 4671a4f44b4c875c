"""Serve the previous data again; running it once more brings the newer data back."""

import psycopg

from etl.changes import Changes, append, changes_between, close_gate
from etl.comparisons import forget_comparisons, set_served
from etl.context import Context
from etl.data_version import bump_version
from etl.database import has_schema, serving_transaction
from etl.errors import Refused
from etl.later_writes import follow_hidden
from etl.ledger import live_load, previous_load
from etl.losses import check_losses
from etl.sql import PREVIOUS, SERVED

_ASIDE = "catalog_aside"
_NEWER_LOAD = """
SELECT load_id
FROM catalog_log.commits
WHERE kind = 'load' AND NOT is_whole
  AND load_id = (SELECT max(id) FROM catalog_meta.loads WHERE state IN ('live', 'previous'))
"""


def run(context: Context) -> None:
    """Exchanges the two schemas in one transaction."""
    connection = context.connection
    if not has_schema(connection, PREVIOUS):
        raise Refused("there is no previous data: only a second load leaves some")
    with serving_transaction(connection):
        close_gate(connection)
        dropped = check_losses(context, since_unswap=True)
        is_served = has_schema(connection, SERVED)  # it may have been dropped, and only the previous data is left
        previous = previous_load(connection)
        if previous is not None:
            follow_hidden(connection, previous, PREVIOUS)
        changes = _changes(connection) if is_served else Changes()
        if is_served:
            connection.execute(f"ALTER SCHEMA {SERVED} RENAME TO {_ASIDE}")
        connection.execute(f"ALTER SCHEMA {PREVIOUS} RENAME TO {SERVED}")
        if is_served:
            connection.execute(f"ALTER SCHEMA {_ASIDE} RENAME TO {PREVIOUS}")
        connection.execute(
            "UPDATE catalog_meta.loads SET state = CASE state WHEN 'live' THEN %s ELSE 'live' END "
            "WHERE state IN ('live', 'previous')",
            ["previous" if is_served else "replaced"],
        )
        set_served(connection)
        forget_comparisons(connection)
        live = live_load(connection)
        served = live.id if live else None
        version = bump_version(connection, served)
        append(connection, "unswap", served or 0, changes)
    context.display.say(
        f"load {served} is served again (data version {version}){changes}{'; dropped ' + dropped if dropped else ''}"
    )


def _changes(connection: psycopg.Connection) -> Changes:
    """The newer load of both was compared with the other one when it was served first."""
    row = connection.execute(_NEWER_LOAD).fetchone()
    if row is None:
        return Changes()
    return changes_between(connection, "unswap", following=PREVIOUS, parameter=row[0], previous=PREVIOUS)
