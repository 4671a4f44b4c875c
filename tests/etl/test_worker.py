"""A worker process ends with its parent, without a word of its own."""

import os
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


def test_an_interrupt_of_the_whole_group_is_left_to_the_parent(tmp_path: Path) -> None:
    """It comes while the first of the large libraries is read: soon after the start, and nothing is set up yet."""
    interrupting = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nraise SystemExit(7)\n"
    (tmp_path / "pyarrow.py").write_text(interrupting)
    done = subprocess.run(
        [sys.executable, "-m", "etl.worker", "0", "0"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (7, "")
