"""A load does not depend on settings of the server, the database, the role or the shell."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
import pytest
from support import Catalog, Database, load, run, run_process

HOSTILE = {
    "DateStyle": "'SQL, DMY'",
    "IntervalStyle": "'sql_standard'",
    "TimeZone": "'Asia/Kolkata'",
    "bytea_output": "'escape'",
    "client_min_messages": "'debug1'",
    "default_transaction_deferrable": "on",
    "default_transaction_isolation": "'serializable'",
    "exit_on_error": "on",
    "extra_float_digits": "-15",
    "idle_in_transaction_session_timeout": "1",
    "idle_session_timeout": "1",
    "lc_monetary": "'C'",
    "lc_numeric": "'C'",
    "lock_timeout": "1",
    "row_security": "off",
    "search_path": "shadow, pg_catalog",
    "session_replication_role": "'replica'",
    "standard_conforming_strings": "off",
    "statement_timeout": "1",
    "xmloption": "'document'",
}
NOT_TRIED = [
    "default_transaction_read_only",  # an operator's brake, which a load respects (test_refusals.py)
    "log_statement_stats",  # the server takes it only alone
    *("transaction_deferrable", "transaction_isolation", "transaction_read_only"),  # of one transaction
]
SHELL = {
    "PGTZ": "Asia/Kolkata",
    "PGDATESTYLE": "German",
    "PGOPTIONS": "-c statement_timeout=1 -c DateStyle=German",
}
SHADOW = """
CREATE SCHEMA shadow;
CREATE FUNCTION shadow.round(numeric, int) RETURNS numeric LANGUAGE sql AS 'SELECT 0::numeric';
GRANT USAGE ON SCHEMA shadow TO PUBLIC
"""
"""A function that could replace PostgreSQL's own and turn each price into zero."""


def _settings(admin: psycopg.Connection) -> Iterator[tuple[str, str]]:
    """HOSTILE, and another value of each other boolean and enum."""
    yield from HOSTILE.items()
    for name, now, words in admin.execute(
        "SELECT name, setting, enumvals FROM pg_settings "
        "WHERE context IN ('user', 'superuser') AND vartype IN ('bool', 'enum') AND name <> ALL (%s)",
        [[*HOSTILE, *NOT_TRIED]],
    ):
        others = [value for value in words or ("on", "off") if value != now]
        if others:
            yield name, f"'{others[0]}'"


@contextmanager
def hostile(database: Database, scope: str) -> Iterator[None]:
    """Gives new connections of the scope hostile settings; the one that sets them keeps its own."""
    with psycopg.connect(database.superuser, autocommit=True) as admin:
        target = scope.format(*admin.execute("SELECT quote_ident(current_database())").fetchone() or ())
        tried = 0
        try:
            for setting, value in list(_settings(admin)):
                with suppress(psycopg.errors.UndefinedObject):  # of another version
                    admin.execute(f"ALTER {target} SET {setting} = {value}")
                    tried += 1
            assert tried > 100
            yield
        finally:
            admin.execute(f"ALTER {target} RESET ALL")


@pytest.mark.long
@pytest.mark.parametrize("scope", ["DATABASE {}", "ROLE catalog_loader IN DATABASE {}"])
def test_hostile_settings_change_neither_a_load_nor_what_it_serves(
    database: Database, catalog: Catalog, monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    assert load(database, catalog, "--again", "--campus", "back\\slash").status == 0
    plain = database.hashes()
    database.execute(f"DROP SCHEMA IF EXISTS shadow CASCADE; {SHADOW}")
    with hostile(database, scope):
        for name, value in SHELL.items():
            monkeypatch.setenv(name, value)
        done = run_process(database, "load", catalog.directory, "--again", "--campus", "back\\slash")
        others = [run(database, *words) for words in (["status"], ["verify", "--served"], ["unswap"], ["unswap"])]
        monkeypatch.undo()
    assert [each.status for each in (done, *others)] == [0] * 5, [each.stderr for each in (done, *others)]
    assert [line for line in done.stderr.splitlines() if line.startswith(("WARNING", "NOTICE", "DEBUG"))] == []
    assert database.hashes() == plain
    [(started,)] = database.query(
        "SELECT to_char(min(started_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') "
        "FROM catalog_meta.loads"  # the first load had the same content
    )
    assert database.query(
        "SELECT DISTINCT json->>'created_at', json->>'campus' "
        "FROM (SELECT (head || '}')::json FROM catalog.product_documents) AS t (json)"
    ) == [(started, "back\\slash")]
