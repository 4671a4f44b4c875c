"""When PostgreSQL is killed, the loader ends with one clear line; after recovery the same command finishes the load."""

from collections.abc import Iterator
from contextlib import suppress

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

CHUNK = ["--chunk", 20_000]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnServer]:
    with own_server(tmp_path_factory.mktemp("own") / "state") as started:
        yield started


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    catalog = Catalog(tmp_path_factory.mktemp("grown") / "csv")
    catalog.grow(2000)
    return catalog


@pytest.fixture(scope="module")
def undisturbed(server: OwnServer, grown: Catalog) -> dict[str, object]:
    assert load(server.database, grown, *CHUNK).status == 0
    return server.database.hashes()


def kill_server_when_blocked(server: OwnServer, table: str, mode: str, *arguments: object) -> None:
    with suppress(psycopg.OperationalError), locked(server.database, table, mode):
        process = start_until_blocked(server.database, *arguments)
        server.kill()
    _, message = process.communicate(timeout=60)
    server.start()
    assert process.returncode == 1
    assert "PostgreSQL went away" in message.splitlines()[-1]
    assert "the connection is closed" not in message.splitlines()[-1]  # the cause is reported, not its effect
    assert "run the same command again" in message.splitlines()[-1]
    assert "Traceback" not in message


@pytest.mark.parametrize("file", ["product.csv", "skus.csv"])
def test_a_server_killed_between_rows_and_ledger(
    server: OwnServer, grown: Catalog, undisturbed: dict[str, object], file: str
) -> None:
    hold_ledger_row(server.database, file, chunk=2)
    kill_server_when_blocked(server, HOLD, "ROW EXCLUSIVE", "load", grown.directory, "--again", *CHUNK)
    release_ledger_rows(server.database)
    assert server.database.hashes() == undisturbed, "what is served has changed"
    assert load(server.database, grown, "--again", *CHUNK).status == 0
    assert server.database.hashes() == undisturbed


@pytest.mark.parametrize(("done", "killed", "table", "mode"), LATER_STEPS)
def test_a_server_killed_in_a_later_step(
    server: OwnServer, grown: Catalog, undisturbed: dict[str, object], done: list[str], killed: str,
    table: str, mode: str,
) -> None:  # fmt: skip
    for step in done:
        files = [grown.directory, *CHUNK] if step == "copy" else []
        assert run(server.database, step, *files).status == 0
    kill_server_when_blocked(server, table, mode, killed)
    assert server.database.hashes() == undisturbed, "what is served has changed"
    assert load(server.database, grown, "--again", *CHUNK).status == 0
    assert server.database.hashes() == undisturbed
