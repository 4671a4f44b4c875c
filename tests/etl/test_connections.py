"""The settings of a loader's connection, and the reasons why a connection fails."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import LockNotAvailable
from support import Catalog, Database, load, run, wait_until

from etl import cli, pool
from etl.database import connection, only_loader, working_connection
from etl.errors import LoadFailed
from etl.parallel import on_connections
from etl.sink import open_sink


@pytest.mark.parametrize(
    ("setting", "of_server", "of_loader"),
    [
        ("jit", "on", "off"),  # its short statements would be compiled for longer than they run
        ("statement_timeout", "1min", "0"),  # its long ones would be cut off
        ("transaction_timeout", "1min", "0"),
        ("idle_in_transaction_session_timeout", "1min", "0"),
        ("lock_timeout", "1min", "0"),  # they wait for each other's keys
        ("idle_session_timeout", "1min", "0"),  # its lock would be freed in a long step
        ("client_encoding", "LATIN1", "UTF8"),  # its texts would be read in another encoding
        ("TimeZone", "Asia/Tokyo", "UTC"),  # `status` says UTC
        ("DateStyle", "SQL, DMY", "ISO, YMD"),  # no timestamp of the ledger could be read
        (
            "default_transaction_isolation",
            "serializable",
            "read committed",
        ),  # jobs would fail each other's transactions
        ("search_path", "public", "pg_catalog"),  # another's function could take the place of PostgreSQL's
        ("standard_conforming_strings", "off", "on"),
        ("quote_all_identifiers", "on", "off"),  # ADBC would find no type
        ("client_min_messages", "debug1", "warning"),  # the last line would not be the last
        ("exit_on_error", "on", "off"),  # a key that is there already would end the connection
        ("synchronous_commit", "on", "off"),  # each chunk would wait for the disk
        ("client_connection_check_interval", "0", "1s"),  # the locks of a killed one would be held for minutes
    ],
)
def test_the_loader_overrides_the_setting(database: Database, setting: str, of_server: str, of_loader: str) -> None:
    if not database.query("SELECT 1 FROM pg_settings WHERE name = %s", setting):
        pytest.skip(f"NOT TESTED: this PostgreSQL knows no {setting}")
    [(name,)] = database.query("SELECT quote_ident(current_database())")
    database.execute(f"ALTER DATABASE {name} SET {setting} = '{of_server}'")
    assert database.query(f"SHOW {setting}") == [(of_server,)]
    asked = f"SELECT current_setting('{setting}')"
    for connect in (connection, working_connection):
        with connect(database.loader) as opened:
            assert opened.execute(asked).fetchone() == (of_loader,)
    with open_sink(database.loader) as sink, sink._connection.cursor() as cursor:
        cursor.execute(asked)
        assert cursor.fetchone() == (of_loader,)


def test_texts_do_not_depend_on_the_encoding_of_the_shell(
    database: Database, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    catalog.append("product.csv", '4,"Café","d","dd","Hats",1\n')
    done = load(database, catalog)
    assert done.status == 0, done.last_line
    assert database.query("SELECT name FROM catalog.products WHERE id = 4") == [("Café",)]


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_is_not_utf8_is_refused(database: Database, catalog: Catalog, encoding: str) -> None:
    name = f"{encoding.lower()}_{os.getpid()}"
    database.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
    try:
        other = Database(*(make_conninfo(dsn, dbname=name) for dsn in (database.superuser, database.loader, "")))
        done = load(other, catalog)
        assert other.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'catalog%'") == []
    finally:
        database.execute(f"DROP DATABASE {name} WITH (FORCE)")
    assert (done.status, done.last_line) == (
        2,
        f"refused: the texts of this database are {encoding}, not UTF-8: name one that was created with "
        "CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0",
    )


def test_workers_connect_to_the_server_of_the_parent_when_the_dsn_names_none(
    database: Database, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers use another libpq, which may look for the socket in another folder."""
    server = conninfo_to_dict(database.loader)
    monkeypatch.setenv("PGHOST", str(server.pop("host")))
    monkeypatch.setenv("PGPORT", str(server.pop("port", 5432)))
    monkeypatch.setitem(pool._WORKER_ENVIRONMENT, "PGHOST", "/nowhere")
    rejects = str(catalog.directory / "rejects")
    dsn = make_conninfo("", **server)
    assert cli.main(["load", str(catalog.directory), "--database-url", dsn, "--rejects", rejects]) == 0


@pytest.mark.parametrize("leave_behind", [working_connection, open_sink])
def test_a_loader_waits_for_what_a_killed_one_has_left_at_work(
    database: Database, monkeypatch: pytest.MonkeyPatch, leave_behind: Callable[[str], AbstractContextManager[object]]
) -> None:
    monkeypatch.setattr("etl.database._LEFTOVER_TIMEOUT_S", 0.1)
    with leave_behind(database.loader), pytest.raises(LockNotAvailable), only_loader(database.loader):
        pass
    left = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'catalog-loader' AND datname = current_database()"
    wait_until(lambda: not database.query(left), "its connection has ended")
    with only_loader(database.loader) as opened:
        assert opened.execute("SHOW lock_timeout").fetchone() == ("0",)


def test_after_an_error_the_rest_is_not_begun(database: Database) -> None:
    begun: list[int] = []

    def work(opened: psycopg.Connection, item: int) -> None:
        begun.append(item)
        opened.execute("SELECT pg_sleep(5), 1 / %s", [item])

    with pytest.raises(psycopg.errors.DivisionByZero):
        on_connections(database.loader, 1, range(4), work)
    assert begun in ([0], [0, 1])  # the second may have begun before the first was seen to fail


def _status_of(dsn: str) -> tuple[int, str]:
    done = run(Database(dsn, dsn, dsn), "status")
    [line] = done.stderr.splitlines()
    return done.status, line


def test_a_server_that_does_not_answer_should_be_started() -> None:
    status, line = _status_of("host=127.0.0.1 port=1 dbname=catalog")
    assert (status, line.startswith("failed: PostgreSQL cannot be reached: ")) == (1, True)
    assert '"127.0.0.1", port 1 failed: Connection refused' in line
    assert "; start it, " in line


def test_a_server_that_refuses_need_not_be_started(database: Database) -> None:
    status, line = _status_of(make_conninfo(database.loader, dbname="nowhere"))
    assert (status, 'database "nowhere" does not exist' in line, "start it" in line) == (1, True, False)
    assert line.endswith("fix that, or LOADER_DATABASE_URL, then run this again")


def test_the_answer_of_a_server_is_preferred_to_the_silence_of_another(database: Database) -> None:
    server = conninfo_to_dict(database.loader)
    here = (str(server["host"]), str(server.get("port", 5432)))
    for order in ([here, ("/nowhere", "1")], [("/nowhere", "1"), here]):
        hosts, ports = (",".join(names) for names in zip(*order, strict=True))
        _, line = _status_of(make_conninfo(database.loader, dbname="nowhere", host=hosts, port=ports))
        assert ('database "nowhere" does not exist' in line, "start it" in line) == (True, False)


@pytest.mark.parametrize("dsn", ["postgress://catalog_loader:secret@db/catalog", "dbname=catalog colour=secret", "x"])
def test_an_invalid_dsn_is_refused_without_showing_its_password(dsn: str) -> None:
    status, line = _status_of(dsn)
    assert (status, line.startswith("refused: "), "secret" in line) == (2, True, False)
    assert "postgresql://" in line


@pytest.mark.parametrize("error", [None, LoadFailed("on purpose")])
def test_the_next_loader_need_not_wait_until_the_server_process_of_this_one_ends(
    database: Database, monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    with psycopg.connect(database.loader, autocommit=True) as ending:
        monkeypatch.setattr("etl.database.connection", lambda _: nullcontext(ending))
        with nullcontext() if error is None else pytest.raises(LoadFailed), only_loader(database.loader):
            if error is not None:
                raise error
        monkeypatch.undo()
        with only_loader(database.loader):
            pass
