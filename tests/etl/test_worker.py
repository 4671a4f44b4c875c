"""The processes of the loader end with their parent, by themselves, or all by Ctrl-C."""

import os
import signal
import struct
import subprocess
import sys
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace

import pytest
from support import (
    HOLD,
    LATER_STEPS,
    ROOT,
    WAIT_S,
    Catalog,
    Database,
    hold_ledger_row,
    load,
    locked,
    release_ledger_rows,
    run,
    start_until_blocked,
)

from etl import cli
from etl.errors import RUN_ROLES, LoadFailed
from etl.ledger import FileProgress
from etl.messages import Task, TaskFailed
from etl.pool import Pool, _Worker
from etl.rows.layout import read_layout
from etl.tables import BY_NAME
from etl.worker import serve


def test_a_worker_whose_parent_closed_the_pipe_ends_without_an_error(catalog: Catalog) -> None:
    products = BY_NAME["products"]
    layout = read_layout(catalog.directory / products.file, products)
    ours, theirs = Pipe()
    ours.send(Task(layout, FileProgress(), {}, load_id=0, chunk_bytes=1 << 20, database_url=None))
    ours.close()
    serve(theirs, os.getppid())
    with pytest.raises(EOFError):  # it took its task: the pipe holds nothing more
        theirs.recv()


@pytest.mark.parametrize("sent", [b"", struct.pack("!i", 100_000) + b"its beginning"], ids=["nothing", "half a report"])
def test_a_killed_worker_is_reported_whatever_it_was_sending(sent: bytes) -> None:
    ours, theirs = Pipe()
    os.write(theirs.fileno(), sent)
    theirs.close()
    process = subprocess.Popen([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"])
    with pytest.raises(LoadFailed, match=r"the process loading skus ended \(status -9\): out of memory"):
        Pool(1, lambda _: None)._receive(_Worker(process, ours, "skus"))


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("IO: [libpq]\n  lost\nDETAIL: x", "IO: [libpq] lost DETAIL: x; run the same command again to resume"),
        (
            "IO: could not extend file",
            "the disk of PostgreSQL is full (IO: could not extend file); make room, then run the same command again",
        ),
        ("No space left\non device", "the disk of PostgreSQL is full (No space left on device); make room, then run"),
        ("IO: permission denied for table skus", f"IO: permission denied for table skus; {RUN_ROLES}"),
    ],
)
def test_the_failure_of_a_worker_is_one_line_with_the_next_step(message: str, line: str) -> None:
    ours, theirs = Pipe()
    theirs.send(TaskFailed("skus", message))
    with pytest.raises(LoadFailed) as failed:
        Pool(1, lambda _: None)._receive(_Worker(SimpleNamespace(), ours, "skus"))
    assert str(failed.value).startswith(f"loading skus stopped: {line}")
    assert "\n" not in str(failed.value)


def test_workers_run_the_release_of_their_parent(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "etl").mkdir()
    (tmp_path / "etl/__init__.py").write_text("raise SystemExit('code of another release')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSAFEPATH", "1")  # as on a node
    assert cli.main(["load", str(catalog.directory), "--dry-run", "--rejects", str(tmp_path / "rejects")]) == 0


BOTH_SIGNALS = pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])


@BOTH_SIGNALS
@pytest.mark.parametrize(
    ("command", "library", "is_worker"),
    [(["etl.worker", "0", "0"], "pyarrow", True), (["etl", "status"], "psycopg", False)],
    ids=["the worker leaves it to its parent", "the parent ends"],
)
def test_an_interrupt_of_the_whole_group_soon_after_the_start(
    command: list[str], library: str, is_worker: bool, kind: signal.Signals, tmp_path: Path
) -> None:
    """It arrives during the first large import, before anything is set up."""
    interrupting = f"import os, signal\nos.kill(os.getpid(), signal.{kind.name})\nraise SystemExit(7)\n"
    (tmp_path / f"{library}.py").write_text(interrupting)
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (7 if is_worker else -kind, "")


@BOTH_SIGNALS
def test_an_interrupt_ends_all_of_a_load_and_names_the_command_that_resumes_it(
    database: Database, catalog: Catalog, kind: signal.Signals
) -> None:
    assert run(database, "prepare").status == 0
    hold_ledger_row(database, "product.csv", chunk=0)
    try:
        with locked(database, HOLD, "ROW EXCLUSIVE"):
            process = start_until_blocked(database, "load", catalog.directory)
            os.killpg(process.pid, kind)
            # It waits for the workers too: they hold the same stderr.
            _, message = process.communicate(timeout=WAIT_S)
    finally:
        release_ledger_rows(database)
    assert (process.returncode, message.splitlines()[-1]) == (1, "stopped; run the same command again to resume")
    assert "Traceback" not in message
    assert load(database, catalog).status == 0


@pytest.mark.parametrize(("done", "stopped", "table", "mode"), LATER_STEPS[0:4:2])
def test_an_interrupt_in_a_later_step_does_not_wait_for_its_statements(
    database: Database, catalog: Catalog, done: list[str], stopped: str, table: str, mode: str
) -> None:
    for step in ["prepare", *done]:
        assert run(database, step, *([catalog.directory] if step == "copy" else [])).status == 0
    with locked(database, table, mode):
        process = start_until_blocked(database, stopped)
        os.killpg(process.pid, signal.SIGTERM)
        _, message = process.communicate(timeout=WAIT_S)
    assert (process.returncode, message.splitlines()[-1].split(";")[0]) == (1, "stopped")
    assert load(database, catalog).status == 0
