"""Bring catalog_meta up to date (db/migrations). Running it again changes nothing."""

import psycopg

from etl.context import Context
from etl.errors import RUN_ROLES, LoadFailed, one_line
from etl.sql import SQL, read_sql

_LOG = """
CREATE SCHEMA IF NOT EXISTS catalog_meta;
CREATE TABLE IF NOT EXISTS catalog_meta.migrations (
  name text PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
"""


def run(context: Context) -> None:
    """Applies the migrations that are not applied yet, each in its own transaction."""
    connection = context.connection
    row = connection.execute("SELECT has_database_privilege(current_database(), 'CREATE')").fetchone()
    if not row or not row[0]:
        raise LoadFailed(f"catalog_owner may not create schemas here: {RUN_ROLES}")
    connection.execute(_LOG)
    applied = {name for (name,) in connection.execute("SELECT name FROM catalog_meta.migrations")}
    for path in sorted((SQL / "migrations").glob("*.sql")):
        if path.name in applied:
            continue
        try:
            with connection.transaction():
                connection.execute(read_sql(f"migrations/{path.name}"))
                connection.execute("INSERT INTO catalog_meta.migrations (name) VALUES (%s)", [path.name])
        except psycopg.errors.UndefinedObject as error:
            raise LoadFailed(f"the roles are of an earlier release ({one_line(error)}): {RUN_ROLES}") from None
        context.display.say(f"applied {path.name}")
