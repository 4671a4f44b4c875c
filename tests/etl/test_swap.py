"""A swap under readers fails no request, mixes no data and can be undone."""

import os
import signal
import threading
import time
from itertools import pairwise

import psycopg
import pytest
from support import Catalog, Database, blocked_run, load, locked, run, start_until_blocked, wait_until

from etl.database import connection
from etl.ledger import fail_load

READ = "SELECT load_id, head FROM catalog.product_documents WHERE id = $1"


class Reader(threading.Thread):
    """Reads one product repeatedly on one connection with one prepared statement, as a worker does."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self.database = database
        self.seen: list[tuple[float, int, str]] = []
        self.error: Exception | None = None
        self.ended = threading.Event()

    def run(self) -> None:
        try:
            with psycopg.connect(self.database.api, autocommit=True) as connection:
                connection.execute(f"PREPARE product (int) AS {READ}")
                while not self.ended.is_set():
                    row = connection.execute("EXECUTE product(1)").fetchone()
                    assert row is not None
                    self.seen.append((time.monotonic(), row[0], row[1]))
        except Exception as error:
            self.error = error

    def reads(self, load_id: int) -> bool:
        """The newest reply is of this load."""
        return bool(self.seen) and self.seen[-1][1] == load_id


def live_load(database: Database) -> int:
    [(load_id,)] = database.query("SELECT id FROM catalog_meta.loads WHERE state = 'live'")
    return int(str(load_id))


@pytest.mark.long
def test_five_swaps_and_an_unswap_under_a_reader_with_a_prepared_statement(
    database: Database, catalog: Catalog
) -> None:
    assert load(database, catalog, "--campus", "campus-0").status == 0
    loads = [live_load(database)]
    reader = Reader(database)
    reader.start()
    try:
        for number in range(1, 6):
            assert load(database, catalog, "--campus", f"campus-{number}").status == 0
            loads.append(live_load(database))
            wait_until(lambda: reader.error or reader.reads(loads[-1]), "the new data is read")
        assert run(database, "unswap").status == 0
        wait_until(lambda: reader.error or reader.reads(loads[-2]), "the old data is read again")
        assert run(database, "unswap").status == 0
        wait_until(lambda: reader.error or reader.reads(loads[-1]), "the new data is read again")
    finally:
        reader.ended.set()
        reader.join()
    assert reader.error is None
    assert all(f'"campus":"campus-{loads.index(load_id)}"' in head for _, load_id, head in reader.seen)
    order = [load_id for _, load_id, _ in reader.seen]
    changes = [new for old, new in pairwise(order) if old != new]
    assert changes == [*loads[1:], loads[-2], loads[-1]]


def test_every_swap_increments_the_version_and_notifies(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    with psycopg.connect(database.api, autocommit=True) as listener:
        [(before,)] = database.query("SELECT version FROM catalog_meta.data_version")
        listener.execute("LISTEN catalog_version")
        load(database, catalog, "--again")
        run(database, "unswap")
        message = [notice.payload for notice in listener.notifies(timeout=10, stop_after=2)]
    assert message == [str(int(str(before)) + 1), str(int(str(before)) + 2)]


def test_a_long_reader_of_the_data_before_last_fails_the_swap_and_not_the_readers(
    database: Database, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("etl.database._SERVING_LOCK_TIMEOUT_S", 1)
    load(database, catalog)
    load(database, catalog, "--again")
    reader = ("catalog_previous.product_documents", "ACCESS SHARE")
    with blocked_run(database, *reader, "load", catalog.directory, "--again") as swapping:
        assert database.query("SELECT count(*) FROM catalog.product_documents") == [(3,)]
        done = swapping.result()
    assert done.status == 1
    assert "another session still reads catalog_previous" in done.last_line
    newest = "SELECT state, error IS NULL FROM catalog_meta.loads ORDER BY id DESC LIMIT 1"
    assert database.query(newest) == [("failed", False)]
    assert run(database, "swap").status == 0
    assert database.query(newest) == [("live", True)]


def test_rejected_rows_are_kept_with_their_load_and_counts_forever(database: Database, catalog: Catalog) -> None:
    catalog.append("skus.csv", '9,1,"M",x\n')
    for number in range(4):
        assert load(database, catalog, "--max-reject", 50, "--campus", f"kept-{number}").status == 0
    assert run(database, "copy", catalog.directory, "--max-reject", 50).status == 0
    with_rows = (
        "SELECT state FROM catalog_meta.loads "
        "WHERE EXISTS (SELECT FROM catalog_meta.{} WHERE load_id = loads.id) ORDER BY id DESC LIMIT 4"
    )
    assert database.query(with_rows.format("rejects")) == [("running",), ("live",), ("previous",)]
    assert database.query(with_rows.format("chunks")) == [("running",), ("live",), ("previous",), ("replaced",)]
    assert run(database, "unswap").status == 0
    assert load(database, catalog, "--max-reject", 50).status == 0


def test_unswap_without_previous_data_is_refused(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    database.execute("DROP SCHEMA catalog_previous CASCADE")
    done = run(database, "unswap")
    assert (done.status, "there is no previous data" in done.last_line) == (2, True)


def test_what_is_reported_as_served_is_on_the_disk(database: Database, catalog: Catalog) -> None:
    """These two commits wait for the disk, or a crash would undo what exit status 0 reported."""
    load(database, catalog)
    database.execute(
        "CREATE TABLE catalog_meta.seen (setting text); GRANT ALL ON catalog_meta.seen TO catalog_owner; "
        "CREATE FUNCTION catalog_meta.see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "INSERT INTO catalog_meta.seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$; "
        "CREATE TRIGGER see BEFORE UPDATE ON catalog_meta.data_version FOR EACH ROW EXECUTE FUNCTION catalog_meta.see()"
    )
    assert load(database, catalog, "--again").status == 0
    assert run(database, "unswap").status == 0
    database.execute("DROP TRIGGER see ON catalog_meta.data_version")
    assert database.query("SELECT setting FROM catalog_meta.seen") == [("on",), ("on",)]


def test_a_swap_killed_in_its_middle_leaves_no_previous_load_without_its_data(
    database: Database, catalog: Catalog
) -> None:
    load(database, catalog)
    load(database, catalog, "--again")
    with locked(database, "catalog_meta.data_version", "ACCESS EXCLUSIVE"):
        process = start_until_blocked(database, "load", catalog.directory, "--again")
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert database.query("SELECT to_regnamespace('catalog_previous')::text") == [(None,)]
    assert database.query("SELECT id FROM catalog_meta.loads WHERE state = 'previous'") == []
    assert run(database, "swap").status == 0
    assert database.query("SELECT count(*) FROM catalog_meta.loads WHERE state = 'previous'") == [(1,)]


def test_an_error_after_the_swap_does_not_mark_the_served_load_as_failed(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    live = live_load(database)
    with connection(database.loader) as opened:
        fail_load(opened, live, "the terminal is gone")
    assert database.query("SELECT state, error FROM catalog_meta.loads WHERE id = %s", live) == [("live", None)]
