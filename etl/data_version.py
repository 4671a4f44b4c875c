"""The data version: every change of what is served moves it, and every cache key carries it."""

import psycopg


def bump_version(connection: psycopg.Connection, load_id: int | None) -> int:
    """Moves the version in the current transaction; workers are told when it commits."""
    row = connection.execute("SELECT catalog_meta.bump_version(%s)", [load_id]).fetchone()
    assert row is not None
    return int(row[0])
