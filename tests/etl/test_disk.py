"""A disk that is too small: refused at the start; full in the middle: one line, what is served stays, and a way on."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from own_server import OwnServer, own_server
from support import (
    HOLD,
    LATER_STEPS,
    Catalog,
    hold_ledger_row,
    load,
    locked,
    release_ledger_rows,
    run,
    start_until_blocked,
)

pytestmark = pytest.mark.long

_MB = 1 << 20
MakeDisk = Callable[[int], Path]


@pytest.fixture(scope="module")
def make_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeDisk]:
    """Mounts small real disks, which needs root."""
    mounted: list[Path] = []

    def make(megabytes: int) -> Path:
        path = tmp_path_factory.mktemp("disk")
        mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", str(path)]
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"NOT TESTED: no tmpfs can be mounted here ({done.stderr.splitlines()[0]})")
        mounted.append(path)
        return path

    yield make
    for path in mounted:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


@pytest.fixture(scope="module")
def tables_disk(make_disk: MakeDisk) -> Path:
    """The disk of the tables of `server`, without its WAL: a full WAL would stop PostgreSQL."""
    return make_disk(16)


@pytest.fixture(scope="module")
def server(tables_disk: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnServer]:
    with own_server(tmp_path_factory.mktemp("own") / "state") as started:
        started.database.execute(f"CREATE TABLESPACE small LOCATION '{tables_disk}'")
        started.database.execute("GRANT CREATE ON TABLESPACE small TO PUBLIC")
        started.database.execute("ALTER ROLE catalog_loader SET default_tablespace = small")
        yield started


def fill(disk: Path) -> Path:
    """Leaves no page free."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as out:
        block = bytes(_MB)
        while block:
            try:
                out.write(block)
            except OSError:
                block = block[: len(block) // 2]
    return filler


def assert_told_and_harmless(server: OwnServer, status: int, message: str, before: dict[str, object]) -> None:
    last = message.strip().splitlines()[-1]
    assert status == 1
    assert "the disk of PostgreSQL is full" in last
    assert "make room, then run the same command again" in last
    assert "Traceback" not in message
    assert server.database.hashes() == before, "what is served has changed"


def test_a_disk_that_cannot_hold_the_load_is_refused_before_it_begins(make_disk: MakeDisk, catalog: Catalog) -> None:
    with own_server(make_disk(150) / "state", max_wal_size="64MB", min_wal_size="32MB") as small:
        assert load(small.database, catalog).status == 0
        before = small.database.query("SELECT * FROM catalog_meta.loads")
        with (catalog.directory / "photos.csv").open("ab") as file:
            file.write(b"\n" * 100 * _MB)  # only its size counts, and only its beginning is read
        done = load(small.database, catalog)
        assert done.status == 2
        assert done.last_line.startswith("refused: the load needs about 587.2 MB and /")
        assert done.last_line.endswith(" MB free: make room")
        assert small.database.query("SELECT * FROM catalog_meta.loads") == before


def test_a_disk_that_fills_up_while_rows_are_copied(server: OwnServer, tables_disk: Path, catalog: Catalog) -> None:
    assert load(server.database, catalog).status == 0
    before = server.database.hashes()
    catalog.grow(1000)
    hold_ledger_row(server.database, "skus.csv", chunk=1)
    with locked(server.database, HOLD, "ROW EXCLUSIVE"):
        process = start_until_blocked(server.database, "load", catalog.directory, "--chunk", 4096)
        filler = fill(tables_disk)
    _, message = process.communicate(timeout=60)
    filler.unlink()
    release_ledger_rows(server.database)
    assert_told_and_harmless(server, process.returncode, message, before)
    finished = load(server.database, catalog)
    assert (finished.status, "resumes: " in finished.stderr) == (0, True)
    assert server.database.query("SELECT count(*) FROM catalog.skus") == [(2000,)]


@pytest.mark.parametrize(("done", "killed", "table", "mode"), LATER_STEPS[0:4:2])
def test_a_disk_that_fills_up_in_a_later_step(
    server: OwnServer, tables_disk: Path, catalog: Catalog, done: list[str], killed: str, table: str, mode: str
) -> None:
    assert load(server.database, catalog).status == 0
    before = server.database.hashes()
    catalog.grow(1000)
    for step in done:
        assert run(server.database, step, *([catalog.directory] if step == "copy" else [])).status == 0
    with locked(server.database, table, mode):
        process = start_until_blocked(server.database, killed)
        filler = fill(tables_disk)
    _, message = process.communicate(timeout=60)
    filler.unlink()
    assert_told_and_harmless(server, process.returncode, message, before)
    assert load(server.database, catalog).status == 0
    assert server.database.query("SELECT count(*) FROM catalog.products") == [(1000,)]


def test_a_full_disk_under_the_wal_stops_postgresql_and_nothing_is_lost(make_disk: MakeDisk, catalog: Catalog) -> None:
    disk = make_disk(300)
    with own_server(disk / "state", max_wal_size="64MB", min_wal_size="32MB") as server:
        assert load(server.database, catalog).status == 0
        before = server.database.hashes()
        catalog.grow(1000)
        hold_ledger_row(server.database, "skus.csv", chunk=1)
        with suppress(psycopg.OperationalError), locked(server.database, HOLD, "ROW EXCLUSIVE"):
            process = start_until_blocked(server.database, "load", catalog.directory, "--chunk", 4096)
            filler = fill(disk)
            use_up_wal(server)
        _, message = process.communicate(timeout=60)
        server.wait_until_stopped()
        filler.unlink()
        server.start()
        last = message.strip().splitlines()[-1]
        assert (process.returncode, "Traceback" in message) == (1, False)
        assert "PostgreSQL went away" in last
        assert "run the same command again" in last
        assert server.database.hashes() == before, "what is served has changed"
        release_ledger_rows(server.database)
        finished = load(server.database, catalog)
        assert (finished.status, "resumes: " in finished.stderr) == (0, True)
        assert server.database.query("SELECT count(*) FROM catalog.skus") == [(2000,)]


def use_up_wal(server: OwnServer) -> None:
    """Starts segments of the WAL until none is left, which stops PostgreSQL."""
    with suppress(psycopg.OperationalError):
        while True:
            server.database.query("SELECT pg_logical_emit_message(false, 'test', 'x'), pg_switch_wal()")
