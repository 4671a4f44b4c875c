"""Bring catalog_meta up to date (db/migrations). Running it again changes nothing."""

import hashlib
import time

import psycopg

from etl.context import Context
from etl.database import serving_transaction
from etl.errors import RUN_ROLES, LoadFailed, one_line
from etl.sql import SQL, read_sql

_TRIES = 30
"""Queries wait behind a migration that waits for a lock. So it waits for a second, and lets them pass first."""
_PAUSE_S = 1


def is_done(connection: psycopg.Connection) -> bool:
    """Nothing is left to apply, so that a run beside a load need not wait for it."""
    try:
        return not _missing(connection) and _may_be_read(connection) and not _unlike(connection)
    except (psycopg.errors.InvalidSchemaName, psycopg.errors.UndefinedTable, psycopg.errors.UndefinedObject):
        return False


def run(context: Context) -> None:
    """Applies the migrations that are not applied yet, each in its own transaction."""
    connection = context.connection
    row = connection.execute("SELECT has_database_privilege(current_database(), 'CREATE')").fetchone()
    if not row or not row[0]:
        raise LoadFailed(f"catalog_owner may not create schemas here: {RUN_ROLES}")
    connection.execute(read_sql("migrated.sql"))
    if edited := [name for name, digest in _unlike(connection) if digest]:
        raise LoadFailed(
            f"db/migrations was edited after it was applied here: {', '.join(edited)}. "
            "Take the files of the release, and write a change as a new migration"
        )
    for name in _missing(connection):
        try:
            _apply(connection, name)
        except psycopg.errors.UndefinedObject as error:
            raise LoadFailed(f"the roles are of an earlier release ({one_line(error)}): {RUN_ROLES}") from None
        context.display.say(f"applied {name}")
    for name, _ in _unlike(connection):
        connection.execute("UPDATE catalog_meta.migrations SET digest = %s WHERE name = %s", [_digest(name), name])
    if not _may_be_read(connection):
        connection.execute("GRANT SELECT ON catalog_meta.migrations TO catalog_writer")


def _missing(connection: psycopg.Connection) -> list[str]:
    applied = {name for (name,) in connection.execute("SELECT name FROM catalog_meta.migrations")}
    return sorted(path.name for path in (SQL / "migrations").glob("*.sql") if path.name not in applied)


def _unlike(connection: psycopg.Connection) -> list[tuple[str, str | None]]:
    """Applied migrations, with a digest that is not the file's; None: those of a release that kept no digests.

    A migration of a later release has no file here.
    """
    rows = connection.execute(
        "SELECT name, to_jsonb(migrations) ->> 'digest' FROM catalog_meta.migrations ORDER BY name"
    )
    here = {path.name for path in (SQL / "migrations").glob("*.sql")}
    return [(name, digest) for name, digest in rows if name in here and digest != _digest(name)]


def _digest(name: str) -> str:
    return hashlib.sha256((SQL / "migrations" / name).read_bytes()).hexdigest()


def _may_be_read(connection: psycopg.Connection) -> bool:
    """The writer can see which migrations it lacks."""
    row = connection.execute(
        "SELECT has_table_privilege('catalog_writer', 'catalog_meta.migrations', 'SELECT')"
    ).fetchone()
    return bool(row and row[0])


def _apply(connection: psycopg.Connection, name: str) -> None:
    """Beside workers, a writer and backups."""
    for tries_left in range(_TRIES, 0, -1):
        try:
            with serving_transaction(connection, lock_timeout_s=1):
                connection.execute(read_sql(f"migrations/{name}"))
                connection.execute("INSERT INTO catalog_meta.migrations (name) VALUES (%s)", [name])
            return
        except psycopg.errors.LockNotAvailable:
            if tries_left == 1:
                raise
            time.sleep(_PAUSE_S)
