"""A worker process ends with its parent, without a word of its own."""

import os
from multiprocessing import Pipe

import pytest
from support import Catalog

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
