"""Shows the operator how far a load is: bars on a terminal, else a line every few seconds; tables at the end."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TextIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.table import Table as RichTable

from etl.ledger import FileProgress

_LINE_EVERY_S = 5.0


class _Stderr(Console):
    """Becomes silent when stderr is closed: rich would end the process, perhaps of a load that is served."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        _lead_nowhere(sys.stderr)


def _lead_nowhere(stream: TextIO) -> None:
    """Discards what Python writes from its buffer at the end, or it would exit with 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class Display:
    """Reports all steps on stderr, so that stdout holds only results."""

    def __init__(self) -> None:
        self.shows_rejects = True
        self._console = _Stderr(stderr=True)
        self._bars: Progress | None = None
        self._ids: dict[str, TaskID] = {}
        self._sizes: dict[str, int] = {}
        self._begun: dict[str, tuple[float, int]] = {}
        self._said: dict[str, float] = {}

    def say(self, text: str) -> None:
        """Prints a line."""
        try:
            self._console.print(text, highlight=False, markup=False, soft_wrap=True)
        except OSError:  # a full disk under the log
            self._console.on_broken_pipe()

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Reports how long a step took."""
        begin = time.monotonic()
        yield
        self.say(f"{name}: {time.monotonic() - begin:.1f} s")

    def __enter__(self) -> "Display":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if self._bars:
            self._bars.stop()

    def file_begins(self, file: str, size: int, done: FileProgress) -> None:
        """Shows a file of `size` bytes, of which `done` is committed."""
        self._sizes[file] = size
        if self._console.is_terminal:
            if self._bars is None:
                self._bars = Progress(
                    TextColumn("{task.description:13}"),
                    BarColumn(),
                    DownloadColumn(),
                    TransferSpeedColumn(),
                    TimeRemainingColumn(),
                    TextColumn("{task.fields[counts]}"),
                    console=self._console,
                )
                self._bars.start()
            self._ids[file] = self._bars.add_task(
                file, total=size, completed=done.end_byte, start=False, counts=self._counts(done)
            )

    def file_goes_on(self, file: str, done: FileProgress) -> None:
        """Shows how far a file is."""
        now = time.monotonic()
        begun, begin_byte = self._begun.setdefault(file, (now, done.end_byte))
        if self._bars:
            self._bars.start_task(self._ids[file])
            self._bars.update(self._ids[file], completed=done.end_byte, counts=self._counts(done))
            return
        if done.is_done or now - self._said.get(file, begun) >= _LINE_EVERY_S:
            self._said[file] = now
            speed = (done.end_byte - begin_byte) / 1e6 / max(now - begun, 0.001)
            left = (self._sizes[file] - done.end_byte) / 1e6 / speed if speed else 0
            ending = "done" if done.is_done else f"{speed:.{0 if speed >= 1 else 2}f} MB/s, {left:.0f} s left"
            self.say(f"{file}: {100 * done.end_byte // max(self._sizes[file], 1)} %, {self._counts(done)}, {ending}")

    def _counts(self, done: FileProgress) -> str:
        return f"{done.read:,} rows" + (f", {done.rejected:,} rejected" if self.shows_rejects else "")

    def share(self, name: str, done: int, total: int) -> None:
        """Shows how much of a step is done, at most every few seconds."""
        now = time.monotonic()
        if now - self._said.setdefault(name, now) >= _LINE_EVERY_S:
            self._said[name] = now
            self.say(f"{name}: {100 * done // total} %")

    def files_end(self) -> None:
        """Removes the bars."""
        if self._bars:
            self._bars.stop()
            self._bars = None


def print_table(title: str, headers: list[str], rows: list[list[str]], below: str = "") -> None:
    """Prints a table on stdout, perhaps with a line below. All but the first and last column are numbers, at the right.

    Raises:
        OSError: when it cannot be written.
    """
    table = RichTable(title=title, title_justify="left")
    for at, header in enumerate(headers):
        table.add_column(header, justify="left" if at in (0, len(headers) - 1) else "right")
    for row in rows:
        table.add_row(*row)
    width = None if sys.stdout and sys.stdout.isatty() else 160
    console = Console(width=width, highlight=False, markup=False)
    with console.capture() as captured:
        console.print(table)
        if below:
            console.print(below, soft_wrap=True)
    try:
        print(captured.get(), end="", flush=True)  # rich itself would exit silently when the reader is gone
    except OSError:
        _lead_nowhere(sys.stdout)
        raise
