"""The data version: each change of what is served increments it, and each cache key contains it."""

import psycopg


def bump_version(connection: psycopg.Connection, load_id: int | None) -> int:
    """Increments the version in the current transaction; workers are notified when it commits."""
    row = connection.execute("SELECT catalog_meta.bump_version(%s)", [load_id]).fetchone()
    assert row is not None
    return int(row[0])
