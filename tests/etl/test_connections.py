"""What a connection of the loader has, whatever the server has by default, and why there is none."""

import pytest
from psycopg.conninfo import make_conninfo
from support import Database, run

from etl.database import connection, working_connection


@pytest.mark.parametrize(
    ("setting", "of_server", "of_loader"),
    [
        ("jit", "on", "off"),  # its short statements would be compiled for longer than they run
        ("statement_timeout", "1min", "0"),  # its long ones would be cut off
    ],
)
def test_the_loader_does_not_take_over(database: Database, setting: str, of_server: str, of_loader: str) -> None:
    [(name,)] = database.query("SELECT quote_ident(current_database())")
    database.execute(f"ALTER DATABASE {name} SET {setting} = '{of_server}'")
    assert database.query(f"SHOW {setting}") == [(of_server,)]
    for connect in (connection, working_connection):
        with connect(database.loader) as opened:
            assert opened.execute(f"SHOW {setting}").fetchone() == (of_loader,)


def _status_of(dsn: str) -> tuple[int, str]:
    done = run(Database(dsn, dsn, dsn), "status")
    [line] = done.stderr.splitlines()
    return done.status, line


def test_a_server_that_does_not_answer_is_named_and_to_be_started() -> None:
    status, line = _status_of("host=127.0.0.1 port=1 dbname=catalog")
    assert (status, line.startswith("failed: PostgreSQL cannot be reached: ")) == (1, True)
    assert '"127.0.0.1", port 1 failed: Connection refused' in line
    assert "; start it, " in line


def test_a_server_that_answers_with_a_refusal_is_not_to_be_started(database: Database) -> None:
    status, line = _status_of(make_conninfo(database.loader, dbname="nowhere"))
    assert (status, 'database "nowhere" does not exist' in line, "start it" in line) == (1, True, False)
    assert line.endswith("mend that, or LOADER_DATABASE_URL, then run this again")


@pytest.mark.parametrize("dsn", ["postgress://catalog_loader:secret@db/catalog", "dbname=catalog colour=secret", "x"])
def test_what_is_no_dsn_is_wrong_usage_and_its_password_is_not_shown(dsn: str) -> None:
    status, line = _status_of(dsn)
    assert (status, line.startswith("refused: "), "secret" in line) == (2, True, False)
    assert "postgresql://" in line
