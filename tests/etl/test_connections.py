"""What a connection of the loader has, whatever the server has by default."""

from support import Database

from etl.database import connection, working_connection


def test_no_statement_is_compiled_on_a_server_that_has_jit_on(database: Database) -> None:
    [(name,)] = database.query("SELECT quote_ident(current_database())")
    database.execute(f"ALTER DATABASE {name} SET jit = on")
    assert database.query("SHOW jit") == [("on",)]
    for connect in (connection, working_connection):
        with connect(database.loader) as opened:
            assert opened.execute("SHOW jit").fetchone() == ("off",)


def test_no_statement_is_cut_off_where_the_server_has_a_statement_timeout(database: Database) -> None:
    [(name,)] = database.query("SELECT quote_ident(current_database())")
    database.execute(f"ALTER DATABASE {name} SET statement_timeout = '1min'")
    assert database.query("SHOW statement_timeout") == [("1min",)]
    for connect in (connection, working_connection):
        with connect(database.loader) as opened:
            assert opened.execute("SHOW statement_timeout").fetchone() == ("0",)
