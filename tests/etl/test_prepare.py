"""`prepare` brings a database of an earlier release up to date."""

import shutil
from pathlib import Path

import pytest
from support import Catalog, Database, load, run

import etl.sql
import etl.steps.prepare

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
