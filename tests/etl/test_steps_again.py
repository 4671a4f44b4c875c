"""A step that runs again counts as unfinished until it ends: nothing half-built is served."""

import os
import signal

from support import Catalog, Database, load, locked, run, start_until_blocked


def _steps(database: Database, catalog: Catalog, *steps: str) -> None:
    for step in steps:
        assert run(database, step, *([catalog.directory] if step == "copy" else [])).status == 0


def test_documents_killed_after_a_verify_are_not_served(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog).status == 0
    before = database.hashes()
    _steps(database, catalog, "copy", "index", "documents", "search", "verify")
    with locked(database, "catalog_staging.photos", "ACCESS EXCLUSIVE"):
        process = start_until_blocked(database, "documents")
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    done = run(database, "swap")
    assert (done.status, "run `documents` first" in done.last_line) == (2, True)
    assert load(database, catalog).status == 0
    assert database.hashes() == before


def test_a_load_that_an_earlier_release_began_gets_its_cards(database: Database, catalog: Catalog) -> None:
    _steps(database, catalog, "prepare", "copy", "index")
    database.execute("DROP TABLE catalog_staging.cards")
    done = load(database, catalog, "--again")
    assert (done.status, "resumes: " in done.stderr) == (0, True)
    assert database.query("SELECT count(*) FROM catalog.cards") == [(3,)]


def test_a_load_that_fails_a_second_verify_is_not_served(database: Database, catalog: Catalog) -> None:
    _steps(database, catalog, "prepare", "copy", "index", "documents", "search", "verify")
    database.execute("DELETE FROM catalog_staging.styles_documents WHERE id = 2")
    assert run(database, "verify").status == 1
    assert run(database, "swap").status == 2
