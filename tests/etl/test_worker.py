"""How the processes of the loader end without a word: a worker with its parent, all of them by Ctrl-C."""

import os
import signal
import subprocess
import sys
from multiprocessing import Pipe
from pathlib import Path

import pytest
from support import ROOT, Catalog

from etl.ledger import FileProgress
from etl.messages import Task
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


@pytest.mark.parametrize(
    ("command", "library", "status"),
    [(["etl.worker", "0", "0"], "pyarrow", 7), (["etl", "status"], "psycopg", -signal.SIGINT)],
    ids=["the worker leaves it to its parent", "the parent ends"],
)
def test_an_interrupt_of_the_whole_group_soon_after_the_start(
    command: list[str], library: str, status: int, tmp_path: Path
) -> None:
    """It comes while the first of the large libraries is read: nothing is set up yet."""
    interrupting = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nraise SystemExit(7)\n"
    (tmp_path / f"{library}.py").write_text(interrupting)
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (status, "")
