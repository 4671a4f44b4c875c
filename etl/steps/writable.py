"""Build the keys that only writes need (db/write_indexes.sql) on what is served, where an earlier release loaded it."""

import re

import psycopg

from etl.context import Context
from etl.database import has_schema
from etl.errors import LoadFailed, Refused, one_line
from etl.sql import SERVED, read_sql, statements

_NAME = re.compile(r".* CONCURRENTLY (\w+) ON .*")


def run(context: Context) -> None:
    """Builds one after another on one core: the service answers meanwhile."""
    connection = context.connection
    if not has_schema(connection, SERVED):
        raise Refused("nothing is served: run `load DIR` first")
    try:
        connection.execute("SET max_parallel_maintenance_workers = 0")
        for statement in statements(read_sql("write_indexes.sql", schema=SERVED)):
            _build(connection, statement)
    except psycopg.Error as error:
        raise LoadFailed(
            f"the catalog is served, but a key that writes need is missing ({one_line(error)}): "
            "correct that, then run `writable`"
        ) from error


def _build(connection: psycopg.Connection, statement: str) -> None:
    name = _NAME.sub(rf"{SERVED}.\1", statement)
    found = connection.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [name]).fetchone()
    if found and found[0]:
        return
    if found:  # of an interrupted build
        connection.execute(f"DROP INDEX CONCURRENTLY {name}")
    connection.execute(statement)
