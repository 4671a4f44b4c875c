"""Connections and locks. The only module that opens psycopg connections."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from etl.errors import RUN_ROLES, LoadFailed, Refused

OWNER = "catalog_owner"

LOADER_LOCK = 0x6361_7461_6C6F_6701
"""The one loader holds it while it works. An arbitrary number ("catalog", 1) that no other program takes."""
_WORK_LOCK = 0x6361_7461_6C6F_6702
"""Shared by every connection that changes staging, so that a new loader waits for a killed one's last statement."""
_UPSERT_LOCK = 0x6361_7461_6C6F_6704
"""The one upsert holds it. 3 is the gate between writes and swaps (catalog_log.gate)."""
_CONNECT_TIMEOUT_S = 10
_SILENCE = ("Connection refused", "No such file or directory", "timed out", "timeout expired")
"""libpq, the system and psycopg report these when no server listens or answers."""
_LEFTOVER_TIMEOUT_S = 300
_SERVING_LOCK_TIMEOUT_S = 5
"""How long a drop of the data before last waits for its readers, and an exchange for its locks."""
_SETTINGS = {
    "role": OWNER,  # all objects belong to it
    # A killed loader's index build would run for minutes and hold its locks (PostgreSQL 14).
    "client_connection_check_interval": "1000",
    # Rows and their ledger row commit together, so a lost commit is only done again.
    "synchronous_commit": "off",
    # Timeouts are for requests. These statements are long, wait for each other's keys, and leave connections silent.
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_session_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    # Each statement would be compiled.
    "jit": "off",
    "work_mem": "32MB",
    # Several connections change the ledger at once; a stricter level would fail one of them.
    "default_transaction_isolation": "read\\ committed",
    # Our SQL names each schema; in a longer path another object could hide a function.
    "search_path": "pg_catalog",
    # psycopg reads timestamps in this form only, and `status` says UTC.
    "datestyle": "ISO,YMD",
    "timezone": "UTC",
    # A backslash in a text is a backslash, and ADBC looks for the bare names of types.
    "standard_conforming_strings": "on",
    "quote_all_identifiers": "off",
    # A notice would follow our last line.
    "client_min_messages": "warning",
    # We expect the error of an index that already exists.
    "exit_on_error": "off",
}
"""A connection relies on these, whatever the server, database, role or environment set."""
_WITHOUT_ENVIRONMENT = """
SELECT set_config(name, value, false)
FROM (VALUES ('DateStyle', 'ISO,YMD'), ('TimeZone', 'UTC'), ('transaction_timeout', '0')) AS wanted (wanted_name, value)
JOIN pg_settings ON name = wanted_name
"""
"""libpq lets PGDATESTYLE and PGTZ override a connection's options. Before PostgreSQL 17, transaction_timeout as an
option would be refused."""


def conninfo(dsn: str) -> str:
    """Adds what every loader connection needs. It notices a server that vanished within a minute."""
    several = "," in str(conninfo_to_dict(dsn).get("host"))
    return make_conninfo(
        dsn,
        target_session_attrs="read-write" if several else None,
        application_name="catalog-loader",
        client_encoding="UTF8",
        connect_timeout=_CONNECT_TIMEOUT_S,
        keepalives_idle=30,
        keepalives_interval=10,
        keepalives_count=3,
        tcp_user_timeout=60_000,
        options=" ".join(f"-c {name}={value}" for name, value in _SETTINGS.items()),
    )


@contextmanager
def connection(dsn: str) -> Iterator[psycopg.Connection]:
    """An autocommit connection for queries and single statements.

    Raises:
        Refused: when the DSN is not valid.
        LoadFailed: when the server cannot be reached.
    """
    try:
        info = conninfo(dsn)
    except (psycopg.ProgrammingError, UnicodeEncodeError):  # its message may hold the password
        raise Refused(
            "LOADER_DATABASE_URL or --database-url is not a valid DSN: "
            "write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
        ) from None
    try:
        opened = psycopg.connect(info, autocommit=True)
    except psycopg.OperationalError as error:
        raise LoadFailed(_why_no_connection(str(error).strip().splitlines())) from error
    with opened:
        opened.execute(_WITHOUT_ENVIRONMENT)
        yield opened


def with_server_of(opened: psycopg.Connection, dsn: str) -> str:
    """The DSN with the server that a connection found: another could find one that replaced it, or another folder."""
    return make_conninfo(dsn, host=opened.info.host, port=opened.info.port)


def _why_no_connection(lines: list[str]) -> str:
    """Prefers what a server reported, then the first line: later ones are hints and other addresses."""
    reason = next((line for line in lines if "FATAL" in line), lines[0])
    if "permission denied" in reason or f'role "{OWNER}"' in reason:
        return f"this role may not load ({reason}): {RUN_ROLES}"
    if "authentication failed" in reason or "no password supplied" in reason:
        return f"PostgreSQL refuses the login ({reason}): correct user and password in LOADER_DATABASE_URL"
    is_silent = any(sign in reason for sign in _SILENCE)
    remedy = "start it" if is_silent else "fix that, or LOADER_DATABASE_URL"
    return f"PostgreSQL cannot be reached: {reason}; {remedy}, then run this again"


@contextmanager
def working_connection(dsn: str) -> Iterator[psycopg.Connection]:
    """A connection that changes staging. A later loader waits for its statement."""
    with connection(dsn) as opened:
        opened.execute("SELECT pg_advisory_lock_shared(%s)", [_WORK_LOCK])
        yield opened


def work_statements(is_load: bool) -> list[str]:
    """The statements that prepare a connection of another driver in the same way. No loader waits for other work."""
    return [_WITHOUT_ENVIRONMENT] + ([f"SELECT pg_advisory_lock_shared({_WORK_LOCK})"] if is_load else [])


@contextmanager
def only_loader(dsn: str) -> Iterator[psycopg.Connection]:
    """Connects as the only loader of a database that can hold our texts.

    Raises:
        Refused: when another loader works, or the encoding is not UTF-8.
    """
    with connection(dsn) as opened:
        _check_encoding(opened)
        with _lock(
            opened, LOADER_LOCK, "another loader is at work on this database: wait until it ends (see `status`)"
        ):
            opened.execute(f"SET lock_timeout = '{_LEFTOVER_TIMEOUT_S}s'")
            opened.execute("SELECT pg_advisory_lock(%s)", [_WORK_LOCK])
            opened.execute("SELECT pg_advisory_unlock(%s)", [_WORK_LOCK])
            opened.execute("RESET lock_timeout")
            yield opened


@contextmanager
def only_upsert(opened: psycopg.Connection) -> Iterator[None]:
    """Keeps other upserts out; loads go on.

    Raises:
        Refused: when another one works.
    """
    with _lock(opened, _UPSERT_LOCK, "another upsert is at work on this database: wait until it ends"):
        yield


@contextmanager
def _lock(opened: psycopg.Connection, number: int, refusal: str) -> Iterator[None]:
    row = opened.execute("SELECT pg_try_advisory_lock(%s)", [number]).fetchone()
    if not row or not row[0]:
        raise Refused(refusal)
    try:
        yield
    finally:
        # Its server process may outlive us by some milliseconds, in which the next command would be refused.
        with suppress(psycopg.Error):
            opened.execute("SELECT pg_advisory_unlock(%s)", [number])


def _check_encoding(opened: psycopg.Connection) -> None:
    encoding = opened.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise Refused(
            f"the texts of this database are {encoding}, not UTF-8: name one that was created with "
            "CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0"
        )


def has_schema(connection: psycopg.Connection, schema: str) -> bool:
    row = connection.execute("SELECT to_regnamespace(%s) IS NOT NULL", [schema]).fetchone()
    return bool(row and row[0])


@contextmanager
def serving_transaction(
    connection: psycopg.Connection, lock_timeout_s: int = _SERVING_LOCK_TIMEOUT_S
) -> Iterator[None]:
    """A transaction that changes what is served. It is on the disk when it has ended: we report it as done.

    Raises:
        psycopg.errors.LockNotAvailable: when a lock does not become free in time.
    """
    with connection.transaction():
        connection.execute(f"SET LOCAL lock_timeout = '{lock_timeout_s}s'")
        connection.execute("SET LOCAL synchronous_commit = on")
        yield
