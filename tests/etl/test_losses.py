"""A load or an unswap refuses to lose what was written, unless --drop-writes says so."""

import pytest
from support import Catalog, Database, load, run
from writing import change

RENAME = "UPDATE catalog.products SET name = 'Written' WHERE id = 1"
LOG = (
    "UPDATE catalog_log.stock_head SET pos = pos + 2; "
    "INSERT INTO catalog_log.stock_log (pos, skus, amounts, adjusts, expected) "
    "SELECT pos, '{2,3}', '{1,1}', '{t,f}', '{NULL,NULL}' FROM catalog_log.stock_head"
)
"""Two operations that nobody has applied yet."""
NAME = "SELECT name FROM catalog.products WHERE id = 1"
LOADS = "SELECT count(*) FROM catalog_meta.loads"


@pytest.fixture
def served(database: Database, catalog: Catalog) -> Catalog:
    """Two loads; the newer one is served, and all operations of stock are applied."""
    if database.query("SELECT to_regclass('catalog_log.stock_applied') IS NOT NULL") == [(True,)]:
        database.execute("UPDATE catalog_log.stock_applied SET pos = head.pos FROM catalog_log.stock_head AS head")
    catalog.grow(10)
    for _ in range(2):
        assert load(database, catalog, "--again", "--drop-writes").status == 0
    return catalog


def live(database: Database) -> object:
    return database.query("SELECT id FROM catalog_meta.loads WHERE state = 'live'")[0][0]


def log_stock(database: Database) -> None:
    database.execute(LOG)


def rename(database: Database) -> None:
    change(database, RENAME, 1)


@pytest.mark.parametrize(
    ("write", "lost"),
    [(rename, "1 product and 0 operations of stock"), (log_stock, "0 products and 2 operations of stock")],
)
def test_a_load_is_refused_before_it_reads_and_loses_writes_only_if_told(
    database: Database, served: Catalog, write: object, lost: str
) -> None:
    assert callable(write)
    write(database)
    before = [*database.query(LOADS), *database.query(NAME)]
    refusal = (
        f"refused: {lost} were written to load {live(database)}, which is served: "
        "`load DIR --as-of CURSOR` keeps those that the files lack, or run the same command "
        "again with --drop-writes, which loses them; they stay in the history"
    )
    for step in ("load", "copy"):
        done = run(database, step, served.directory, *(["--again"] if step == "load" else []))
        assert (done.status, done.last_line) == (2, refusal)
    assert [*database.query(LOADS), *database.query(NAME)] == before
    done = load(database, served, "--again", "--drop-writes")
    dropped = lost if write is rename else None  # operations that wait are applied later
    assert (done.status, f"; dropped {lost}\n" in done.stderr) == (0, write is rename), done.stderr
    assert database.query("SELECT dropped FROM catalog_meta.loads WHERE state = 'live'") == [(dropped,)]
    assert database.query(NAME) == [("Name 1",)]
    assert load(database, served, "--again").status == (0 if write is rename else 2)


@pytest.mark.parametrize("write", [rename, log_stock])
def test_a_write_during_a_load_refuses_its_swap(database: Database, served: Catalog, write: object) -> None:
    assert callable(write)
    before = live(database)
    for step in (["copy", served.directory], ["index"], ["documents"], ["search"], ["verify"]):
        assert run(database, *step).status == 0
    write(database)
    done = run(database, "swap")
    assert (done.status, "or run the same command again with --drop-writes" in done.last_line) == (
        2,
        True,
    )
    assert live(database) == before
    done = load(database, served, "--drop-writes")
    assert (done.status, "resumes: " in done.stderr, "; dropped " in done.stderr) == (0, True, write is rename)
    assert live(database) != before


def test_an_unswap_is_refused_while_there_are_later_writes(database: Database, served: Catalog) -> None:
    rename(database)
    done = run(database, "unswap")
    assert (done.status, done.last_line.startswith("refused: 1 product and 0 operations of stock")) == (2, True)
    assert database.query(NAME) == [("Written",)]
    done = run(database, "unswap", "--drop-writes")
    assert (done.status, "; dropped 1 product and 0 operations of stock\n" in done.stderr) == (0, True)
    assert database.query(NAME) == [("Name 1",)]
    assert run(database, "unswap").status == 0  # no write since, and the one of before is there again
    assert database.query(NAME) == [("Written",)]
    assert load(database, served, "--again").status == 2


def test_an_unswap_brings_back_what_a_load_dropped_and_readers_know_it(database: Database, served: Catalog) -> None:
    """Load A, a write, load B --drop-writes, unswap: A still has the write, and so says the log to workers."""
    head = "SELECT is_written, listed_seq = seq FROM catalog_log.head"
    rename(database)
    assert load(database, served, "--again", "--drop-writes").status == 0
    assert database.query(head) == [(False, False)]
    assert run(database, "unswap").status == 0
    assert database.query(NAME) == [("Written",)]
    assert database.query(head) == [(True, True)]
    assert database.query("SELECT count(*) FROM catalog.loaded_products") == [(1,)]
