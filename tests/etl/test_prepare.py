"""`prepare` brings a database of an earlier release up to date."""

import shutil
from pathlib import Path

import psycopg
import pytest
from support import Catalog, Database, blocked_run, load, locked, run

import etl.sql
import etl.steps.prepare
from etl.database import LOADER_LOCK

PREPARED = "SELECT name FROM catalog_meta.migrations ORDER BY name"


@pytest.fixture
def sql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of db/ that a test may change."""
    copy = tmp_path / "db"
    shutil.copytree(etl.sql.SQL, copy)
    monkeypatch.setattr(etl.sql, "SQL", copy)
    monkeypatch.setattr(etl.steps.prepare, "SQL", copy)
    return copy


def test_roles_of_an_earlier_release_are_named_with_the_next_step(database: Database, sql: Path) -> None:
    log = sql / "migrations/004_log.sql"
    log.write_text(log.read_text().replace("catalog_writer", "catalog_unknown"))
    done = run(database, "prepare")
    assert (done.status, done.last_line) == (
        1,
        'failed: the roles are of an earlier release (role "catalog_unknown" does not exist): '
        "run db/roles.sql as superuser and use the role catalog_loader",
    )
    assert database.query(PREPARED)[-1] == ("003_repairs.sql",)


def test_a_command_before_the_migrations_of_this_release_names_prepare(database: Database, catalog: Catalog) -> None:
    for step in ("status", "swap"):
        done = run(database, step)
        assert (done.status, "run `prepare` first" in done.last_line) == (1, True)
    assert load(database, catalog).status == 0


def test_a_catalog_of_an_earlier_release_gets_what_readers_need(database: Database) -> None:
    database.execute(
        "DROP SCHEMA catalog CASCADE; DROP SCHEMA catalog_log CASCADE; "
        "ALTER TABLE catalog_meta.loads DROP compared_with, DROP compared_seq; "
        "DELETE FROM catalog_meta.migrations WHERE name = '004_log.sql'; "
        "CREATE SCHEMA catalog AUTHORIZATION catalog_owner; GRANT USAGE ON SCHEMA catalog TO catalog_api"
    )
    assert run(database, "prepare").status == 0
    reader = Database(database.api, database.loader, database.api)
    assert reader.query("SELECT count(*) FROM catalog.product_state") == [(0,)]


def test_an_edited_migration_is_refused_and_one_of_a_later_release_is_not(database: Database, sql: Path) -> None:
    assert run(database, "prepare").status == 0
    edited, original = sql / "migrations/005_writes.sql", (sql / "migrations/005_writes.sql").read_text()
    edited.write_text(original + "-- a later thought\n")
    for _ in range(2):
        done = run(database, "prepare")
        assert (done.status, done.last_line) == (
            1,
            "failed: db/migrations was edited after it was applied here: 005_writes.sql. "
            "Take the files of the release, and write a change as a new migration",
        )
    edited.write_text(original)
    (sql / "migrations/006_stock.sql").unlink()
    assert run(database, "prepare").status == 0


def test_migrations_of_a_release_without_digests_get_them(database: Database) -> None:
    assert run(database, "prepare").status == 0
    without = "SELECT count(*) FROM catalog_meta.migrations WHERE digest IS NULL"
    assert database.query(without) == [(0,)]
    database.execute(
        "ALTER TABLE catalog_meta.migrations DROP digest; "
        "DELETE FROM catalog_meta.migrations WHERE name = '020_digests.sql'"
    )
    assert run(database, "prepare").status == 0
    assert database.query(without) == [(0,)]


LATER = "ALTER TABLE catalog_log.head ADD COLUMN later int"


def test_while_a_load_runs_prepare_refuses_only_what_is_missing(database: Database, sql: Path) -> None:
    assert run(database, "prepare").status == 0
    with psycopg.connect(database.loader, autocommit=True) as loader:
        loader.execute("SELECT pg_advisory_lock(%s)", [LOADER_LOCK])
        assert run(database, "prepare").status == 0
        (sql / "migrations/999_later.sql").write_text(LATER)
        done = run(database, "prepare")
    assert (done.status, "another loader is at work" in done.last_line) == (2, True)


def test_who_reads_what_a_migration_waits_to_change_reads_on(database: Database, sql: Path) -> None:
    assert run(database, "prepare").status == 0
    (sql / "migrations/999_later.sql").write_text(LATER)
    with blocked_run(database, "catalog_log.head", "ACCESS SHARE", "prepare") as preparing:
        with psycopg.connect(database.superuser, options="-c lock_timeout=20s") as reader:
            reader.execute("SELECT seq FROM catalog_log.head")
        assert not preparing.done()
    assert preparing.result().status == 0
    assert database.query(PREPARED)[-1] == ("999_later.sql",)


def test_a_migration_that_cannot_get_its_lock_names_who_holds_it(
    database: Database, sql: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(etl.steps.prepare, "_TRIES", 1)
    assert run(database, "prepare").status == 0
    (sql / "migrations/998_late.sql").write_text(LATER.replace("later", "late"))
    with locked(database, "catalog_log.head", "ACCESS SHARE"):
        done = run(database, "prepare")
    assert (done.status, "another session holds a lock" in done.last_line) == (1, True)
