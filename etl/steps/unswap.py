"""Serve the previous data again; running it once more brings the newer data back."""

from etl.context import Context
from etl.data_version import bump_version
from etl.database import PREVIOUS, SERVED, has_schema, serving_transaction
from etl.errors import Refused
from etl.ledger import live_load

_ASIDE = "catalog_aside"


def run(context: Context) -> None:
    """Exchanges the two schemas in one transaction."""
    connection = context.connection
    if not has_schema(connection, PREVIOUS):
        raise Refused("there is no previous data: only a second load leaves some")
    with serving_transaction(connection):
        is_served = has_schema(connection, SERVED)  # it may have been dropped, and only the previous data is left
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
        live = live_load(connection)
        served = live.id if live else None
        version = bump_version(connection, served)
    context.display.say(f"load {served} is served again (data version {version})")
