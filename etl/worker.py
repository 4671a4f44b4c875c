"""A worker process: `python -m etl.worker FD PARENT` takes tasks from the pipe FD until it closes.

It is a process because reading and cleaning hold Python's lock. The parent imports none of its libraries.
"""

import signal

if __name__ == "__main__":
    # Ctrl-C and SIGTERM reach the whole group, and the parent ends its workers.
    # This comes before the large imports, which take long.
    for kind in (signal.SIGINT, signal.SIGTERM):
        signal.signal(kind, signal.SIG_IGN)

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection

import pyarrow as pa
from pyroaring import BitMap

from etl.chunk import Chunk
from etl.ledger import FileProgress
from etl.messages import ChunkDone, ChunkRead, Report, SetsTask, Task, TaskDone, TaskFailed
from etl.rows.blocks import BLOCK_BYTES, BlockReader
from etl.rows.keys import Keys
from etl.sink import NoSink, Sink, open_sink
from etl.sql import STAGING
from etl.tables import BY_NAME

_TELL_EVERY_BYTES = 16 << 20


class Worker:
    """Does the tasks of one pipe."""

    def __init__(self, pipe: "Connection[Report, Task | SetsTask]", sink: Sink, parent_pid: int) -> None:
        self._pipe = pipe
        self._sink = sink
        self._parent_pid = parent_pid
        # After the sink has its lock: only a loader that began after our parent ended did not wait for it.
        self._end_with_parent_process()

    def run(self, task: Task) -> None:
        """Loads the rest of a file, chunk by chunk."""
        layout, progress = task.layout, task.start
        keys = Keys(layout.table, {name: self._loaded_ids(task, name) for name in layout.table.parents})
        if progress.chunks:
            keys.loaded = self._sink.loaded_ids(layout.table)
        begin = (progress.end_byte, progress.end_line) if progress.chunks else (layout.first_byte, layout.first_line)
        with BlockReader(layout.path, *begin, min(BLOCK_BYTES, task.chunk_bytes)) as reader:
            blocks = iter(reader)
            while not progress.is_done:
                chunk = Chunk(layout, reader, blocks, keys, self._on_block(layout.table.name, progress))
                progress = self._sink.write(chunk, task, progress)
                listed = (chunk.rejects, chunk.repairs) if isinstance(self._sink, NoSink) else ()
                self._pipe.send(ChunkDone(layout.table.name, progress, *listed))
        self._pipe.send(TaskDone(task.name, keys.loaded.serialize()))

    def make_sets(self, task: SetsTask) -> None:
        """Makes the search sets of one chunk."""
        self._sink.search(task.load_id).build(task.chunk, task.fields, self._end_with_parent_process)
        self._pipe.send(TaskDone(task.name))

    def _on_block(self, table: str, before: FileProgress) -> Callable[[Chunk], None]:
        reported = before.end_byte

        def on_block(chunk: Chunk) -> None:
            nonlocal reported
            self._end_with_parent_process()
            progress = chunk.progress(before)
            if progress.end_byte - reported >= _TELL_EVERY_BYTES:
                reported = progress.end_byte
                self._pipe.send(ChunkRead(table, progress))

        return on_block

    def _loaded_ids(self, task: Task, name: str) -> BitMap:
        if name in task.parents:
            return BitMap.deserialize(task.parents[name])
        return self._sink.loaded_ids(BY_NAME[name])

    def _end_with_parent_process(self) -> None:
        """Ends a worker whose parent was killed: it must not keep loading."""
        if os.getppid() != self._parent_pid:
            os._exit(1)


def serve(pipe: "Connection[Report, Task | SetsTask]", parent_pid: int) -> None:
    """Works until the parent process closes the pipe or ends."""
    task: Task | SetsTask | None = None
    try:
        task = pipe.recv()
        schema = task.schema if isinstance(task, Task) else STAGING
        with open_sink(task.database_url, schema) as sink:
            worker = Worker(pipe, sink, parent_pid)
            while True:
                if isinstance(task, SetsTask):
                    worker.make_sets(task)
                else:
                    worker.run(task)
                task = pipe.recv()
    except EOFError:
        return
    except Exception as error:  # the operator sees one line for any error
        name = task.name if task else ""
        with suppress(BrokenPipeError, ConnectionResetError):  # the parent has closed the pipe on purpose
            pipe.send(TaskFailed(name, f"{type(error).__name__}: {str(error).strip()}"))


if __name__ == "__main__":
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    serve(Connection(int(sys.argv[1])), int(sys.argv[2]))
