"""A write and a swap never mix: the gate lets a swap wait for open writes, and writes wait for a swap."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from support import Catalog, Database, blocked_run, load, run, wait_until
from writing import change, write

from etl.steps import swap

WAITS = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND mode = %s"
NAME = "SELECT name, head LIKE '%%\"Written\"%%' FROM {0}.products JOIN {0}.product_documents USING (id) WHERE id = 1"
NEW = ["--again", "--drop-writes"]
"""Tests leave writes behind."""
RENAME = "UPDATE catalog.products SET name = 'Written' WHERE id = 1"


@pytest.fixture
def grown(catalog: Catalog) -> Catalog:
    catalog.grow(10)
    return catalog


def staged(database: Database, grown: Catalog) -> None:
    """Serves a load and prepares another one up to its swap."""
    assert load(database, grown, *NEW).status == 0
    for step in (["copy", grown.directory], ["index"], ["documents"], ["search"], ["verify"]):
        assert run(database, *step).status == 0


def test_without_the_gate_a_swap_tears_a_write_apart(
    database: Database, grown: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This is why there is a gate: the row changes in the old catalog, its document in the new one."""
    staged(database, grown)
    monkeypatch.setattr(swap, "close_gate", lambda _: None)
    with write(database) as opened:
        opened.execute(RENAME)
        assert run(database, "swap").status == 0
        opened.finish(1)
    assert database.query(NAME.format("catalog_previous")) == [("Written", False)]
    assert database.query(NAME.format("catalog")) == [("Name 1", False)]


@pytest.mark.parametrize("step", ["swap", "unswap"])
def test_a_write_that_is_open_is_whole_in_what_was_served(database: Database, grown: Catalog, step: str) -> None:
    staged(database, grown)
    if step == "unswap":
        assert run(database, "swap").status == 0
    with write(database) as opened, ThreadPoolExecutor() as threads:
        opened.execute(RENAME)
        swapping = threads.submit(run, database, step, "--drop-writes")
        wait_until(lambda: database.query(WAITS, "ExclusiveLock") or swapping.done(), "the swap waits for the write")
        opened.finish(1)
    assert swapping.result().status == 0
    assert database.query(NAME.format("catalog_previous")) == [("Written", True)]
    assert database.query(NAME.format("catalog")) == [("Name 1", False)]
    assert database.query("SELECT kind, updated FROM catalog_log.commits ORDER BY seq DESC LIMIT 2") == [
        ("load" if step == "swap" else "unswap", [1]),
        ("content", [1]),
    ]


def test_a_write_during_a_swap_waits_and_is_whole_in_the_new_catalog(database: Database, grown: Catalog) -> None:
    staged(database, grown)
    with ThreadPoolExecutor() as threads:
        with blocked_run(database, "catalog_meta.data_version", "ACCESS EXCLUSIVE", "swap") as swapping:
            changing = threads.submit(change, database, RENAME, 1)
            wait_until(lambda: database.query(WAITS, "ShareLock") or changing.done(), "the write waits for the swap")
        assert (swapping.result().status, len(changing.result())) == (0, 1)
    assert database.query(NAME.format("catalog_previous")) == [("Name 1", False)]
    assert database.query(NAME.format("catalog")) == [("Written", True)]
    assert run(database, "verify", "--served").status == 0


def test_a_write_that_stays_open_fails_the_swap_and_changes_nothing(
    database: Database, grown: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    staged(database, grown)
    monkeypatch.setattr("etl.database._SERVING_LOCK_TIMEOUT_S", 1)
    [before] = database.query("SELECT seq FROM catalog_log.head")
    with write(database):
        done = run(database, "swap")
    assert (done.status, "another session holds a lock" in done.last_line) == (1, True)
    assert database.query("SELECT seq FROM catalog_log.head") == [before]
    assert run(database, "swap").status == 0


def test_every_change_of_what_is_served_has_a_commit_of_the_next_number(database: Database, grown: Catalog) -> None:
    assert load(database, grown, *NEW).status == 0
    change(database, RENAME, 1)
    change(database, "UPDATE catalog.skus SET quantity = 3 WHERE id = 2", 1)
    assert load(database, grown, *NEW).status == 0
    assert run(database, "unswap", "--drop-writes").status == 0
    commits = database.query("SELECT seq, kind, load_id FROM catalog_log.commits ORDER BY seq")
    assert [seq for seq, *_ in commits] == list(range(1, len(commits) + 1))
    assert [kind for _, kind, _ in commits[-5:]] == ["load", "content", "stock", "load", "unswap"]
    assert database.query("SELECT seq FROM catalog_log.head") == [(len(commits),)]
