"""What a connection of the loader has, whatever the server has by default."""

import pytest
from support import Database

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
