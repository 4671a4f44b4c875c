"""Runs the tasks of worker processes: files, each as soon as those that it refers to are done, and search sets."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path

from etl.errors import RUN_ROLES, LoadFailed
from etl.messages import Progressed, Report, SetsTask, Task, TaskDone, TaskFailed

_ROOT = Path(__file__).resolve().parent.parent
_WORKER_ENVIRONMENT = {
    # Workers run our release, even if a deploy has switched the link that started us.
    "PYTHONPATH": str(_ROOT),
    # A worker uses one core: the thread pools of NumPy and Arrow would only hold memory.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    # Blocks have one size: glibc's heap frees their pages or gives them to the next block.
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
}


@dataclass
class _Worker:
    process: subprocess.Popen[bytes]
    pipe: "Connection[Task | SetsTask, Report]"
    task: str = ""


class Pool:
    """Up to `jobs` worker processes; leaving the context ends them."""

    def __init__(self, jobs: int, on_report: Callable[[Progressed], None]) -> None:
        self._jobs = jobs
        self._on_report = on_report
        self._idle: list[_Worker] = []
        self._busy: list[_Worker] = []

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        """Kills busy workers: PostgreSQL rolls back what they have not committed."""
        for worker in self._idle + self._busy:
            worker.pipe.close()
        for worker in self._busy:
            worker.process.kill()
        for worker in self._idle + self._busy:
            worker.process.wait()

    def run(self, tasks: Sequence[Task | SetsTask]) -> None:
        """Runs all tasks, in their order as far as their parents allow it.

        Raises:
            LoadFailed: when a worker fails or dies.
        """
        waiting = list(tasks)
        unfinished = {task.name for task in tasks}
        loaded: dict[str, bytes] = {}
        # All at the start: imports take half a second, and products leave a core free.
        self._idle += [_spawn() for _ in range(min(self._jobs, len(tasks)))]
        while unfinished:
            for task in [t for t in waiting if not t.waits_for & unfinished]:
                if len(self._busy) == self._jobs:
                    break
                waiting.remove(task)
                if isinstance(task, Task):
                    task.parents.update((name, loaded[name]) for name in task.waits_for & loaded.keys())
                self._start(task)
            ready = wait([worker.pipe for worker in self._busy])
            for worker in [worker for worker in self._busy if worker.pipe in ready]:
                report = self._receive(worker)
                if isinstance(report, TaskDone):
                    loaded[report.name] = report.loaded
                    unfinished.remove(report.name)
                    self._busy.remove(worker)
                    self._idle.append(worker)
                self._on_report(report)

    def _start(self, task: Task | SetsTask) -> None:
        worker = self._idle.pop()
        worker.task = task.name
        self._busy.append(worker)
        with suppress(BrokenPipeError, ConnectionResetError):  # it died: the next receive reports it
            worker.pipe.send(task)

    def _receive(self, worker: _Worker) -> Progressed:
        try:
            report = worker.pipe.recv()
        except (EOFError, OSError):  # OSError: in the middle of a report
            code = worker.process.wait()
            raise LoadFailed(
                f"the process loading {worker.task} ended (status {code}): out of memory? "
                "Run the same command again with --jobs 1 to resume with less memory"
            ) from None
        if isinstance(report, TaskFailed):
            raise LoadFailed(f"loading {worker.task} stopped: {_next_step(report.message)}")
        return report


def _spawn() -> _Worker:
    ours, theirs = Pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "etl.worker", str(theirs.fileno()), str(os.getpid())],
        pass_fds=[theirs.fileno()],
        cwd=_ROOT,
        env=os.environ | _WORKER_ENVIRONMENT,
    )
    theirs.close()
    return _Worker(process, ours)


def _next_step(message: str) -> str:
    """One line that ends with the next step."""
    line = " ".join(message.split())[:300]
    if "No space left" in line or "could not extend file" in line:
        return f"the disk of PostgreSQL is full ({line}); make room, then run the same command again"
    if "permission denied" in line.lower():
        return f"{line}; {RUN_ROLES}"
    return f"{line}; run the same command again to resume"
