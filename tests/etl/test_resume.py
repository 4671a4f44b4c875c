"""A load that was killed at any point and resumed serves what an undisturbed load serves."""

import os
import shutil
import signal
from collections.abc import Callable
from itertools import cycle, product
from pathlib import Path

import pytest
from reading import SKUS
from support import (
    HOLD,
    LATER_STEPS,
    Catalog,
    Database,
    blocked_run,
    hold_ledger_row,
    load,
    locked,
    mostly_long,
    release_ledger_rows,
    run,
    start_until_blocked,
)

from etl import files, pipeline
from etl.config import Options
from etl.errors import LoadFailed
from etl.rows.layout import Layout, read_layout
from etl.tables import Field, Table

PRODUCTS = 3000
CHUNK = ["--chunk", 20_000]


def grow(catalog: Catalog) -> Catalog:
    catalog.grow(PRODUCTS)
    catalog.append("skus.csv", '7000001,1,"M",x\n7000002,1,"open,5\n7000003,1,"M",5\n1,1,"again",5\n')
    catalog.append("skus.csv", f'7000004,{PRODUCTS + 1},"M",5\n')
    return catalog


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """Files that no test changes."""
    return grow(Catalog(tmp_path_factory.mktemp("grown") / "csv"))


@pytest.fixture(scope="module")
def undisturbed(database: Database, grown: Catalog) -> dict[str, object]:
    """The replies after an undisturbed load."""
    assert load(database, grown, *CHUNK).status == 0
    return database.hashes()


def kill_when_blocked(database: Database, arguments: list[object], whole_group: bool = True) -> None:
    process = start_until_blocked(database, *arguments)
    if whole_group:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()


def finish(database: Database, grown: Catalog) -> str:
    done = load(database, grown, *CHUNK)
    assert done.status == 0, done.stderr
    assert database.query("SELECT count(DISTINCT created_at) FROM catalog.product_documents") == [(1,)]
    return done.stderr


@pytest.mark.parametrize(
    ("file", "whole_group"),
    mostly_long(list(product(["product.csv", "photos.csv", "skus.csv"], [True, False])), short=[3, 4]),
)
def test_a_loader_killed_between_rows_and_ledger(
    database: Database, grown: Catalog, undisturbed: dict[str, object], file: str, whole_group: bool
) -> None:
    """The rows are copied, but their ledger row is missing."""
    hold_ledger_row(database, file, chunk=2)
    try:
        with locked(database, HOLD, "ROW EXCLUSIVE"):
            kill_when_blocked(database, ["load", grown.directory, "--again", *CHUNK], whole_group)
    finally:
        release_ledger_rows(database)
    assert "resumes: " in finish(database, grown)
    assert database.hashes() == undisturbed


def test_committed_chunks_are_not_loaded_again(database: Database, grown: Catalog) -> None:
    run(database, "prepare")
    assert run(database, "copy", grown.directory, *CHUNK).status == 0
    before = database.query("SELECT * FROM catalog_meta.chunks ORDER BY 1, 2, 3")
    finish(database, grown)
    assert database.query("SELECT * FROM catalog_meta.chunks ORDER BY 1, 2, 3") == before


@pytest.mark.parametrize(("done", "killed", "table", "mode"), mostly_long(LATER_STEPS, short=[1, 2, 5, 6]))
def test_a_loader_killed_in_a_later_step(
    database: Database, grown: Catalog, undisturbed: dict[str, object], done: list[str], killed: str,
    table: str, mode: str,
) -> None:  # fmt: skip
    for step in done:
        files = [grown.directory, *CHUNK] if step == "copy" else []
        assert run(database, step, *files).status == 0
    with locked(database, table, mode):
        kill_when_blocked(database, [killed])
    assert database.hashes() == undisturbed, "what is served has changed"
    finish(database, grown)
    assert database.hashes() == undisturbed


def test_changed_files_begin_a_new_load(database: Database, catalog: Catalog) -> None:
    grown = grow(catalog)
    assert run(database, "prepare").status == 0
    assert run(database, "copy", grown.directory).status == 0
    grown.append("features.csv", '900001,1,"New","feature"\n')
    assert "begins" in finish(database, grown)
    assert database.query("SELECT count(*) FROM catalog.features WHERE id = 900001") == [(1,)]
    assert database.query("SELECT state FROM catalog_meta.loads ORDER BY id DESC LIMIT 2") == [
        ("live",),
        ("abandoned",),
    ]


def test_another_release_with_other_sql_or_rules_begins_a_new_load(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(files.SQL, tmp_path / "db")
    shutil.copytree(files._LOADER, tmp_path / "etl")
    mark = files.fingerprint(catalog.directory, "hr-lax")
    monkeypatch.setattr(files, "SQL", tmp_path / "db")
    monkeypatch.setattr(files, "_LOADER", tmp_path / "etl")
    assert files.fingerprint(catalog.directory, "hr-lax") == mark
    sql = ("db/indexes.sql", "db/schema/001_tables.sql", "db/documents/product.sql")
    for file in (*sql, "etl/rows/row.py", "etl/chunk.py", "etl/tables.py"):
        path = tmp_path / file
        path.write_text(f"{path.read_text()}-- changed\n")
        changed = files.fingerprint(catalog.directory, "hr-lax")
        assert changed != mark, file
        mark = changed


def test_an_edit_at_either_end_of_a_large_file_gives_another_fingerprint(catalog: Catalog) -> None:
    grown = grow(catalog)
    options = Options("", grown.directory, campus="hr-lax")
    mark, layouts = files.fingerprinted_layouts(options)
    path = grown.directory / "photos.csv"
    content, times = path.read_bytes(), path.stat()
    assert len(content) > 2 * files._EDGE_BYTES
    for edited in (content.replace(b"styleId", b"STYLEID", 1), content[:-3] + b'X"\n'):
        with pytest.raises(LoadFailed, match="changed while"), files.unchanged_files(options, mark, layouts):
            path.write_bytes(edited)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert files.fingerprint(grown.directory, "hr-lax") != mark


def load_while_they_change(database: Database, catalog: Catalog) -> None:
    """Replaces skus.csv, with columns of the same types, before it is read; the load fails."""
    hold_ledger_row(database, "product.csv", chunk=0)
    try:
        with blocked_run(database, HOLD, "ROW EXCLUSIVE", "load", catalog.directory, "--again") as running:
            catalog.write("skus.csv", 'id,size,styleId,quantity\n1,"2",1,5\n')
    finally:
        release_ledger_rows(database)
    done = running.result()
    assert (done.status, "changed while they were read" in done.last_line) == (1, True)


def test_files_that_change_while_they_are_read_are_not_served(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog).status == 0
    before = database.hashes()
    load_while_they_change(database, catalog)
    assert database.hashes() == before
    assert load(database, catalog).status == 0
    assert database.query("SELECT style_id, size FROM catalog.skus") == [(1, "2")]


def test_files_that_changed_while_they_were_read_and_are_put_back_are_the_ones_that_are_served(
    database: Database, catalog: Catalog
) -> None:
    assert load(database, catalog).status == 0
    before = database.hashes()
    skus = catalog.directory / "skus.csv"
    content, times = skus.read_bytes(), skus.stat()
    load_while_they_change(database, catalog)
    skus.write_bytes(content)
    os.utime(skus, ns=(times.st_atime_ns, times.st_mtime_ns))
    done = load(database, catalog, "--again")
    assert (done.status, "resumes" in done.stderr, database.hashes() == before) == (0, True, True)


def test_no_row_of_a_changed_file_is_committed(database: Database, catalog: Catalog) -> None:
    """The loader may be killed before it checks the files again, and the old ones may be restored."""
    assert run(database, "prepare").status == 0
    load_while_they_change(database, catalog)
    committed = "SELECT file FROM catalog_meta.chunks WHERE load_id = (SELECT max(id) FROM catalog_meta.loads)"
    files = {file for (file,) in database.query(committed)}
    assert ("product.csv" in files, "skus.csv" in files) == (True, False)


@pytest.mark.parametrize(
    "change", [lambda path: path.write_text(SKUS), Path.unlink], ids=["another is written", "it is taken away"]
)
def test_a_dry_run_reports_files_that_change_while_they_are_read(
    catalog: Catalog,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], object],
) -> None:
    def read_and_change(*arguments: object, **named: object) -> None:
        files.read_files(*arguments, **named)
        change(catalog.directory / "skus.csv")

    monkeypatch.setattr(pipeline, "read_files", read_and_change)
    done = run(None, "load", catalog.directory, "--dry-run")
    assert (done.status, "changed while they were read" in done.last_line) == (1, True)


def test_columns_that_move_after_the_first_look_are_noticed(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of columns changes each time the file was read."""
    orders = cycle(["id,size,styleId,quantity\n1,2,1,5\n", SKUS + "1,1,2,5\n"])

    def look_and_change(path: Path, table: Table, fields: tuple[Field, ...]) -> Layout:
        found = read_layout(path, table, fields)
        if table.file == "skus.csv":
            catalog.write(table.file, next(orders))
        return found

    monkeypatch.setattr(files, "read_layout", look_and_change)
    done = run(None, "load", catalog.directory, "--dry-run")
    assert (done.status, "changed while they were read" in done.last_line) == (1, True)
