"""Takes the chunks of a file: into staging by binary COPY, or nowhere in a dry run."""

from collections.abc import Iterator
from contextlib import contextmanager

import adbc_driver_postgresql.dbapi as adbc
import pyarrow as pa
from pyroaring import BitMap

from etl.chunk import Chunk, batch_schema
from etl.database import conninfo, work_statements
from etl.ledger import FileProgress
from etl.messages import Task
from etl.prefetch import prefetch
from etl.rows.keys import bitmap_of
from etl.search.build import SetBuilder
from etl.sql import META, STAGING
from etl.tables import Table

_CHUNK = pa.schema(
    [
        ("load_id", pa.int32()),
        ("file", pa.string()),
        ("chunk", pa.int32()),
        ("end_byte", pa.int64()),
        ("end_line", pa.int32()),
        ("is_last", pa.bool_()),
        ("rows_read", pa.int32()),
        ("rows_loaded", pa.int32()),
        ("rows_repaired", pa.int32()),
        ("rows_rejected", pa.int32()),
    ]
)
_REJECTS = pa.schema(
    [
        ("load_id", pa.int32()),
        ("file", pa.string()),
        ("line", pa.int32()),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("raw", pa.binary()),
    ]
)


_REPAIRS = pa.schema(
    [
        ("load_id", pa.int32()),
        ("file", pa.string()),
        ("line", pa.int32()),
        ("rule", pa.string()),
        ("columns", pa.string()),
        ("before", pa.string()),
        ("after", pa.string()),
    ]
)


class NoSink:
    """Reads the chunk and forgets its rows."""

    def write(self, chunk: Chunk, task: Task, before: FileProgress) -> FileProgress:
        for _ in chunk.batches(task.chunk_bytes):
            pass
        return chunk.progress(before)

    def loaded_ids(self, table: Table) -> BitMap:
        raise AssertionError(f"a dry run begins {table.file} at its start")

    def search(self, load_id: int) -> SetBuilder:
        raise AssertionError(f"a dry run has no load {load_id}")


class PartSink(NoSink):
    """Copies rows into the tables of a part. Its rejects and repairs go to the parent, as those of a dry run do."""

    def __init__(self, connection: adbc.Connection, schema: str) -> None:
        self._connection = connection
        self._schema = schema

    def write(self, chunk: Chunk, task: Task, before: FileProgress) -> FileProgress:
        with self._connection.cursor() as cursor:
            cursor.execute("BEGIN")
            _copy(cursor, chunk, task, self._schema)
            chunk.check_unchanged()
            cursor.execute("COMMIT")
        return chunk.progress(before)


class StagingSink:
    """One connection; every chunk is one transaction of rows, rejects, repairs and ledger row."""

    def __init__(self, connection: adbc.Connection) -> None:
        self._connection = connection
        self._builder: SetBuilder | None = None

    def write(self, chunk: Chunk, task: Task, before: FileProgress) -> FileProgress:
        """Streams a chunk into its table and commits all of it or nothing.

        After an error the connection is useless: the worker ends, and PostgreSQL rolls back.
        """
        with self._connection.cursor() as cursor:
            # The driver's own transactions begin another one at each ingest, which the server logs as a warning.
            cursor.execute("BEGIN")
            _copy(cursor, chunk, task, STAGING)
            after = chunk.progress(before)
            if chunk.rejects:
                self._append(cursor, "rejects", _REJECTS, _reject_rows(chunk, task))
            if chunk.repairs:
                self._append(cursor, "repairs", _REPAIRS, _repair_rows(chunk, task))
            self._append(cursor, "chunks", _CHUNK, [_ledger_row(task, before, after)])
            chunk.check_unchanged()
            cursor.execute("COMMIT")
        return after

    def loaded_ids(self, table: Table) -> BitMap:
        """Reads the ids of a table that an earlier run loaded."""
        ids = BitMap()
        with self._connection.cursor() as cursor:
            cursor.execute(f"SELECT id FROM {STAGING}.{table.name}")
            for batch in cursor.fetch_record_batch():
                ids |= bitmap_of(batch.column(0).to_numpy())
        return ids

    def search(self, load_id: int) -> SetBuilder:
        """Makes the search sets of a load."""
        self._builder = self._builder or SetBuilder(self._connection, load_id)
        return self._builder

    def _append(self, cursor: adbc.Cursor, name: str, schema: pa.Schema, rows: list[tuple[object, ...]]) -> None:
        columns = zip(*rows, strict=True)
        arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
        cursor.adbc_ingest(name, pa.record_batch(arrays, schema=schema), mode="append", db_schema_name=META)


Sink = NoSink | StagingSink


@contextmanager
def open_sink(database_url: str | None, schema: str = STAGING) -> Iterator[Sink]:
    """A sink for one worker process."""
    if database_url is None:
        yield NoSink()
        return
    with adbc.connect(conninfo(database_url), autocommit=True) as connection:
        with connection.cursor() as cursor:
            for statement in work_statements(is_load=schema == STAGING):
                cursor.execute(statement)
                cursor.fetchall()
        yield StagingSink(connection) if schema == STAGING else PartSink(connection, schema)


def _copy(cursor: adbc.Cursor, chunk: Chunk, task: Task, schema: str) -> None:
    reader = pa.RecordBatchReader.from_batches(batch_schema(task.layout), prefetch(chunk.batches(task.chunk_bytes)))
    cursor.adbc_ingest(task.layout.table.name, reader, mode="append", db_schema_name=schema)


def _reject_rows(chunk: Chunk, task: Task) -> list[tuple[object, ...]]:
    file = task.layout.table.file
    return [(task.load_id, file, r.line, r.reason, r.detail, r.raw) for r in chunk.rejects]


def _repair_rows(chunk: Chunk, task: Task) -> list[tuple[object, ...]]:
    file = task.layout.table.file
    return [(task.load_id, file, r.line, r.rule, r.columns, r.before, r.after) for r in chunk.repairs]


def _ledger_row(task: Task, before: FileProgress, after: FileProgress) -> tuple[object, ...]:
    return (
        task.load_id,
        task.layout.table.file,
        before.chunks,
        after.end_byte,
        after.end_line,
        after.is_done,
        after.read - before.read,
        after.loaded - before.loaded,
        after.repaired - before.repaired,
        after.rejected - before.rejected,
    )
