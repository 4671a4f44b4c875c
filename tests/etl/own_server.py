"""A PostgreSQL that a test may kill or give a small disk, started by the code of the product."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from support import ROOT, Database

_STARTER = ROOT / "tests/helpers/own-postgres.js"


class OwnServer:
    """`start` after `kill` recovers the same data."""

    def __init__(self, directory: Path, settings: dict[str, str]) -> None:
        self._starter = subprocess.Popen(
            [os.environ["TEST_NODE"], _STARTER, directory, json.dumps(settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.database = self.start()

    def start(self) -> Database:
        assert self._starter.stdin and self._starter.stdout
        self._starter.stdin.write("start\n")
        self._starter.stdin.flush()
        started = json.loads(self._starter.stdout.readline())
        self._pid = int(started["pid"])
        return Database(started["superuser"], started["loader"], started["api"])

    def kill(self) -> None:
        """Kills all processes: backends that only lose their postmaster release locks, and waiting ones may commit."""
        children = Path(f"/proc/{self._pid}/task/{self._pid}/children").read_text().split()
        for pid in [*map(int, children), self._pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def wait_until_stopped(self) -> None:
        """For a server that stops itself."""
        with suppress(ProcessLookupError):
            for _ in range(300):
                os.kill(self._pid, 0)
                time.sleep(0.1)
            raise AssertionError("PostgreSQL still runs after 30 s")

    def stop(self) -> None:
        self._starter.communicate(timeout=60)


@contextmanager
def own_server(directory: Path, **settings: str) -> Iterator[OwnServer]:
    server = OwnServer(directory, {"shared_buffers": "32MB", "fsync": "off", **settings})
    try:
        yield server
    finally:
        server.stop()
