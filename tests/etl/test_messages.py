"""An error is one line that says what happened and what to do next, and never hides an earlier one."""

import errno
import os
import sys
from collections.abc import Iterator

import psycopg
import pytest
from support import Catalog, Database, blocked_run, load, locked, run, run_process, start, start_until_blocked

from etl import cli, pipeline
from etl.progress import print_table
from etl.sql import PREVIOUS


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            OSError(errno.ENOSPC, "No space left on device", "x.csv"),
            "failed: x.csv: No space left on device; make room",
        ),
        (PermissionError(errno.EACCES, "Permission denied", "x.csv"), "failed: x.csv: Permission denied; "),
        (psycopg.errors.LockNotAvailable("canceling statement"), "another session holds a lock"),
        (psycopg.errors.QueryCanceled("canceling statement"), "another session cancelled a statement"),
        (psycopg.errors.DeadlockDetected("deadlock detected"), "another session changes the same tables"),
        (psycopg.errors.OutOfMemory("out of memory"), "--jobs 1"),
        (psycopg.errors.ConfigurationLimitExceeded("limit"), "failed: limit; run the same command again"),
        (psycopg.errors.AdminShutdown("terminating connection"), "PostgreSQL went away"),
        (psycopg.errors.ConnectionFailure("lost"), "PostgreSQL went away"),
        (psycopg.OperationalError("server closed the connection"), "PostgreSQL went away"),
    ],
)
def test_every_error_is_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception, message: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(pipeline, "run_load", fail)
    assert cli.main(["load", "x", "--database-url", "dbname=x"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert message in line
    assert "again" in line
    assert ("went away" in line) == ("went away" in message)


@pytest.mark.parametrize(
    "error",
    [
        psycopg.errors.ConnectionFailure("lost"),
        psycopg.errors.ConfigurationLimitExceeded("limit"),
        OSError(errno.EIO, "Input/output error"),
        KeyboardInterrupt(),
    ],
)
def test_a_failed_unswap_asks_to_check_status_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException
) -> None:
    """A second one would undo a first one that succeeded after all."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(pipeline, "run_step", fail)
    assert cli.main(["unswap", "--database-url", "dbname=x"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.endswith(" see `status` for what is served before you run it again")


def test_a_cancelled_statement_is_explained(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog).status == 0
    with blocked_run(database, "catalog_meta.loads", "ACCESS EXCLUSIVE", "status") as running:
        database.query(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'catalog-loader' AND datname = current_database()"
        )
        done = running.result()
    assert (done.status, "another session cancelled a statement" in done.last_line) == (1, True)


def test_an_unswap_fails_when_another_session_holds_its_locks(
    database: Database, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("etl.database._SERVING_LOCK_TIMEOUT_S", 0.1)
    assert load(database, catalog).status == 0
    assert load(database, catalog, "--again").status == 0
    with locked(database, "catalog_meta.data_version", "ACCESS EXCLUSIVE"):
        done = run(database, "unswap")
    assert (done.status, "another session holds a lock" in done.last_line) == (1, True)
    assert database.query("SELECT to_regnamespace(%s)::text", PREVIOUS) == [(PREVIOUS,)]


def _block_rejects_file(catalog: Catalog) -> None:
    """Puts a folder where the rejects of the SKUs would be written."""
    catalog.append("skus.csv", '9,1,"M",x\n')
    (catalog.directory / "rejects/skus.rejects.csv").mkdir(parents=True)


def test_a_served_load_only_warns_when_its_rejects_cannot_be_written(database: Database, catalog: Catalog) -> None:
    _block_rejects_file(catalog)
    done = load(database, catalog, "--max-reject", 50)
    assert (done.status, "Traceback" in done.stderr) == (0, False)
    assert done.last_line.startswith("warning: the report is not complete (")
    assert "skus.rejects.csv: " in done.last_line
    assert database.query("SELECT state FROM catalog_meta.loads ORDER BY id DESC LIMIT 1") == [("live",)]


def test_the_first_failure_is_the_last_line_when_rejects_cannot_be_written(
    database: Database, catalog: Catalog
) -> None:
    _block_rejects_file(catalog)
    done = load(database, catalog, "--max-reject", 1)
    assert (done.status, "Traceback" in done.stderr) == (1, False), done.stderr
    assert done.last_line.startswith("failed: skus.csv: 1 of 4 rows rejected")
    assert "warning: the report is not complete" in done.stderr


@pytest.fixture(params=["no reader", pytest.param("the disk is full", marks=pytest.mark.long)])
def lost(request: pytest.FixtureRequest) -> Iterator[int]:
    """A file that accepts no output."""
    if request.param == "no reader":
        reader, writer = os.pipe()
        os.close(reader)
    else:
        writer = os.open("/dev/full", os.O_WRONLY)
    yield writer
    os.close(writer)


def test_a_served_load_only_warns_when_its_report_cannot_be_written(
    database: Database, catalog: Catalog, lost: int
) -> None:
    done = run_process(database, "load", catalog.directory, "--again", stdout=lost)
    assert done.status == 0, done.stderr
    assert done.last_line.startswith("warning: the report is not complete (")
    assert database.query("SELECT state FROM catalog_meta.loads ORDER BY id DESC LIMIT 1") == [("live",)]


def test_a_load_continues_silently_when_its_progress_cannot_be_written(
    database: Database, catalog: Catalog, lost: int
) -> None:
    process = start(database, "load", catalog.directory, "--again", stderr=lost)
    shown, _ = process.communicate(timeout=60)
    assert (process.returncode, "skus.csv" in shown) == (0, True)
    assert database.query("SELECT state FROM catalog_meta.loads ORDER BY id DESC LIMIT 1") == [("live",)]


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_the_first_failure_is_the_last_line_when_the_report_cannot_be_written(
    database: Database, catalog: Catalog, lost: int, dry: list[str]
) -> None:
    catalog.append("skus.csv", '9,1,"M",x\n')
    rejects = catalog.directory / "rejects"
    done = run_process(database, "load", catalog.directory, "--rejects", rejects, *dry, stdout=lost)
    assert done.status == 1
    assert (rejects / "skus.rejects.csv").exists()
    assert done.last_line.startswith("failed: skus.csv: 1 of 4 rows rejected")
    assert "warning: the report is not complete" in done.stderr


def test_a_status_without_a_reader_fails(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog).status == 0
    reader, writer = os.pipe()
    with locked(database, "catalog_meta.data_version", "ACCESS EXCLUSIVE"):
        process = start_until_blocked(database, "status", stdout=writer)
        os.close(writer)
        os.close(reader)
    _, message = process.communicate(timeout=60)
    assert (process.returncode, message.splitlines()[-1].split(":")[0]) == (1, "failed")


def test_a_table_without_a_stdout_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)  # as Python has it after >&-
    print_table("Rows", ["file", "read"], [["skus.csv", "1"]])
    assert capfd.readouterr() == ("", "")
