"""Runs the loader in the process of the tests, its workers as threads: a load then costs neither Python nor imports."""

import io
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Thread
from unittest.mock import patch

from etl import cli, pool
from etl.worker import serve


class _WorkerThread:
    """Takes the role of a worker's process in the pool."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._thread = Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        with self._pipe:
            serve(self._pipe, os.getppid())

    def kill(self) -> None:
        """Does nothing: the pool has closed the pipe, and the thread ends at its next message."""

    def wait(self) -> int:
        self._thread.join()
        return 0


def _spawn() -> pool._Worker:
    ours, theirs = Pipe()
    return pool._Worker(_WorkerThread(theirs), ours)


@contextmanager
def _environment(database_url: str | None) -> Iterator[None]:
    with patch.dict(os.environ):
        os.environ.pop("LOADER_DATABASE_URL", None)
        if database_url:
            os.environ["LOADER_DATABASE_URL"] = database_url
        yield


def workers_as_threads() -> AbstractContextManager[object]:
    """Within it the pool starts threads instead of processes."""
    return patch.object(pool, "_spawn", _spawn)


def run_in_process(database_url: str | None, arguments: list[str]) -> tuple[int, str, str]:
    """Runs a command; returns its exit status, stdout and stderr, without what libpq itself prints.

    One job unless the arguments say otherwise: connecting is most of the work of a small load.
    """
    if arguments and "--jobs" not in arguments:
        arguments = [*arguments, "--jobs", "1"]
    stdout, stderr = io.StringIO(), io.StringIO()
    with (
        _environment(database_url),
        redirect_stdout(stdout),
        redirect_stderr(stderr),
        workers_as_threads(),
    ):
        try:
            status = cli.main(arguments)
        except SystemExit as ended:
            status = int(str(ended.code))
    return status, stdout.getvalue(), stderr.getvalue()
