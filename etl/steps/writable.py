"""Build the keys by id (db/write_indexes.sql) and the view of skus where an earlier release loaded what is served."""

import re

import psycopg

from etl.context import Context
from etl.database import has_schema
from etl.definitions import skus_sql
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
        if connection.execute("SELECT to_regclass(%s)", [f"{SERVED}.sku_replies"]).fetchone() == (None,):
            connection.execute(skus_sql(SERVED))
    except psycopg.Error as error:
        raise LoadFailed(
            f"the catalog is served, but a key that writes and skus need is missing ({one_line(error)}): "
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
