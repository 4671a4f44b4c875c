"""Connections, locks and the SQL files of db/. The only module that opens psycopg connections."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from etl.errors import RUN_ROLES, LoadFailed, Refused

SQL = Path(__file__).resolve().parent.parent / "db"
OWNER = "catalog_owner"
SERVED, STAGING, PREVIOUS, META = "catalog", "catalog_staging", "catalog_previous", "catalog_meta"

_LOADER_LOCK = 0x6361_7461_6C6F_6701
"""Held by the one loader. An arbitrary number ("catalog", 1) that no other program takes."""
_WORK_LOCK = 0x6361_7461_6C6F_6702
"""Shared by every connection that changes staging, so that a new loader waits for a killed one's last statement."""
_CONNECT_TIMEOUT_S = 10
_SILENCE = ("Connection refused", "No such file or directory", "timed out", "timeout expired")
"""What libpq, the system and psycopg say where no server listens or answers."""
_LEFTOVER_TIMEOUT_S = 300
_SERVING_LOCK_TIMEOUT_S = 5
"""So long the data before last waits for its last reader before it is dropped, and an exchange for its locks."""


def conninfo(dsn: str, work_memory_mb: int = 32) -> str:
    """Adds what every loader connection needs.

    The role makes all objects belong to the owner. The server looks every second whether we are still there
    (PostgreSQL 14), or a killed loader's index build would go on for minutes and hold its locks. Commits need not
    wait for the disk: the ledger row goes with the rows, so a lost commit is only done again. Statements are large
    and many, and each would be compiled anew by a server that has JIT on, as PostgreSQL has by default, or cut off by
    a server whose statement_timeout is meant for requests.
    """
    options = {
        "role": OWNER,
        "client_connection_check_interval": "1000",
        "synchronous_commit": "off",
        "statement_timeout": "0",
        "jit": "off",
        "work_mem": f"{work_memory_mb}MB",
        "timezone": "UTC",
    }
    return make_conninfo(
        dsn,
        application_name="catalog-loader",
        connect_timeout=_CONNECT_TIMEOUT_S,
        options=" ".join(f"-c {name}={value}" for name, value in options.items()),
    )


@contextmanager
def connection(dsn: str) -> Iterator[psycopg.Connection]:
    """An autocommit connection for looking and for single statements.

    Raises:
        Refused: when the DSN is none.
        LoadFailed: when the server cannot be reached.
    """
    try:
        info = conninfo(dsn)
    except (psycopg.ProgrammingError, UnicodeEncodeError):  # its message may hold the password
        raise Refused(
            "LOADER_DATABASE_URL or --database-url is no DSN: write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE"
        ) from None
    try:
        opened = psycopg.connect(info, autocommit=True)
    except psycopg.OperationalError as error:
        raise LoadFailed(_why_no_connection(str(error).strip().splitlines())) from error
    with opened:
        yield opened


def _why_no_connection(lines: list[str]) -> str:
    """What a server said counts most, then the first line: later ones are hints and other addresses."""
    reason = next((line for line in lines if "FATAL" in line), lines[0])
    if "permission denied" in reason or f'role "{OWNER}"' in reason:
        return f"this role may not load ({reason}): {RUN_ROLES}"
    if "authentication failed" in reason or "no password supplied" in reason:
        return f"PostgreSQL refuses the login ({reason}): correct user and password in LOADER_DATABASE_URL"
    is_silent = any(sign in reason for sign in _SILENCE)
    remedy = "start it" if is_silent else "mend that, or LOADER_DATABASE_URL"
    return f"PostgreSQL cannot be reached: {reason}; {remedy}, then run this again"


@contextmanager
def working_connection(dsn: str) -> Iterator[psycopg.Connection]:
    """A connection that changes staging; a later loader waits until its statement has ended."""
    with connection(dsn) as opened:
        opened.execute("SELECT pg_advisory_lock_shared(%s)", [_WORK_LOCK])
        yield opened


def work_lock_statement() -> str:
    """The same for connections that are not psycopg's."""
    return f"SELECT pg_advisory_lock_shared({_WORK_LOCK})"


@contextmanager
def only_loader(dsn: str) -> Iterator[psycopg.Connection]:
    """Makes sure that no other loader works on this database.

    Raises:
        Refused: when one does.
    """
    with connection(dsn) as opened:
        row = opened.execute("SELECT pg_try_advisory_lock(%s)", [_LOADER_LOCK]).fetchone()
        if not row or not row[0]:
            raise Refused("another loader is at work on this database: wait until it ends (see `status`)")
        opened.execute(f"SET lock_timeout = '{_LEFTOVER_TIMEOUT_S}s'")
        opened.execute("SELECT pg_advisory_lock(%s)", [_WORK_LOCK])
        opened.execute("SELECT pg_advisory_unlock(%s)", [_WORK_LOCK])
        opened.execute("RESET lock_timeout")
        yield opened


@contextmanager
def serving_transaction(connection: psycopg.Connection) -> Iterator[None]:
    """A transaction that changes what is served. When it has ended it is on the disk: it was reported as done.

    Raises:
        psycopg.errors.LockNotAvailable: when a lock does not become free in time.
    """
    with connection.transaction():
        connection.execute(f"SET LOCAL lock_timeout = '{_SERVING_LOCK_TIMEOUT_S}s'")
        connection.execute("SET LOCAL synchronous_commit = on")
        yield


def read_sql(name: str, **names: str) -> str:
    """A file of db/ with {schema} and the like filled in; braces of other things stay."""
    text = (SQL / name).read_text(encoding="utf-8")
    for key, value in names.items():
        text = text.replace("{" + key + "}", value)
    return text


def statements(sql: str) -> list[str]:
    """The statements of a file that holds no function bodies."""
    without_comments = re.sub(r"--[^\n]*", "", sql)
    return [part.strip() for part in without_comments.split(";") if part.strip()]
