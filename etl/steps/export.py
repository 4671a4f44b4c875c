"""Write the six files of DIR as they are served at one moment, with all writes, and manifest.json with its cursor.

`load DIR --as-of CURSOR` of these files changes nothing that is served but times.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.rows import class_row

from etl import database
from etl.context import Context
from etl.declaration import FILE
from etl.errors import Refused
from etl.export_fields import Declared, declaration_json, field_columns
from etl.export_folder import replaced_folder
from etl.ledger import FileProgress, progress_of
from etl.limits import check_free
from etl.manifest import FileFacts, Manifest, write_manifest
from etl.parallel import on_connections
from etl.progress import Display
from etl.sql import SERVED, fill, read_sql, statements
from etl.tables import TABLES, Table

_BLOCK_BYTES = 1 << 20
_SETTINGS = ["SET max_parallel_workers_per_gather = 0", "SET lock_timeout = '60s'"]
"""The connections already use the cores. A statement that waits for a lock keeps swaps waiting, too."""


@dataclass(frozen=True)
class _State:
    """A row of db/export/state.sql."""

    cursor: str
    catalog_version: str
    campus: str
    language: str | None
    load_id: int
    declared: Declared | None
    hidden: list[int]
    schema_oid: int


def run(context: Context) -> None:
    """Exports beside loads, swaps and writes: all connections see one snapshot."""
    options, connection = context.options, context.connection
    if not database.has_schema(connection, SERVED):
        raise Refused("nothing is served: run `load DIR` first")
    with replaced_folder(options.directory) as folder, _snapshot(connection) as (snapshot, state):
        sizes = {file: done.end_byte for file, done in progress_of(connection, state.load_id).items()}
        check_free(folder, sum(sizes.values()))
        found: dict[str, FileFacts] = {}

        def write(worker: psycopg.Connection, item: tuple[Table, str]) -> None:
            table, statement = item
            columns = field_columns((state.declared or {}).get(table.name, {}))._asdict()
            with worker.transaction(), worker.cursor() as cursor, ExitStack() as stack:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                cursor.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
                with _schema_now(connection, state.schema_oid) as schema:
                    rows = stack.enter_context(cursor.copy(fill(statement, schema=schema, **columns).encode()))
                found[table.file] = _write(rows, folder / table.file, sizes[table.file], context.display)

        context.display.shows_rejects = False
        for table in TABLES:
            context.display.file_begins(table.file, sizes[table.file], FileProgress())
        items = list(zip(TABLES, statements(read_sql("export/files.sql")), strict=True))
        url = database.with_server_of(connection, options.database_url)
        try:
            on_connections(url, options.jobs, items, write, _SETTINGS, opened=database.connection)
        finally:
            context.display.files_end()
        files = {table.file: found[table.file] for table in TABLES}
        if state.declared:
            files[FILE] = _write_declaration(state.declared, folder / FILE)
        moment = (state.cursor, state.catalog_version, state.campus, state.language)
        write_manifest(folder, Manifest(*moment, state.hidden, files))
    context.display.say(
        f"{files['product.csv'].rows:,} products are in {options.directory}, as of {state.cursor}: "
        f"load them with --as-of {state.cursor}, or into another database without"
    )


@contextmanager
def _snapshot(connection: psycopg.Connection) -> Iterator[tuple[str, _State]]:
    """The name of a snapshot that other connections can take, and what is served in it.

    The transaction has read a table of the schema, so none of its tables is dropped before it ends.
    """
    # Before the transaction, whose snapshot its first statement takes: a swap may have to end first.
    connection.execute("SELECT pg_advisory_lock_shared(catalog_log.gate())")
    with connection.transaction():
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        with connection.cursor(row_factory=class_row(_State)) as cursor:
            state = cursor.execute(read_sql("export/state.sql", schema=SERVED).encode()).fetchone()
        assert state is not None
        row = connection.execute("SELECT pg_export_snapshot()").fetchone()
        assert row is not None
        connection.execute("SELECT pg_advisory_unlock_shared(catalog_log.gate())")
        yield row[0], state


@contextmanager
def _schema_now(connection: psycopg.Connection, oid: int) -> Iterator[str]:
    """The name that swaps have given the schema. None changes it inside: a statement that has begun has its tables."""
    connection.execute("SELECT pg_advisory_lock_shared(catalog_log.gate())")
    try:
        # Reads a table, not only the name: that makes the server notice renames.
        row = connection.execute("SELECT oid::regnamespace::text FROM pg_namespace WHERE oid = %s", [oid]).fetchone()
        assert row is not None
        yield row[0]
    finally:
        connection.execute("SELECT pg_advisory_unlock_shared(catalog_log.gate())")


def _write(rows: psycopg.Copy, path: Path, size: int, display: Display) -> FileFacts:
    """Writes a file to the disk. `size` is what its progress is a part of: the bytes of the loaded file."""
    digest = hashlib.sha256()
    lines = written = 0
    with path.open("wb") as out:
        for block, count in _blocks(rows):
            out.write(block)
            digest.update(block)
            lines, written = lines + count, written + len(block)
            display.file_goes_on(path.name, FileProgress(end_byte=min(written, size), read=max(0, lines - 1)))
        out.flush()
        os.fsync(out.fileno())
    display.file_goes_on(path.name, FileProgress(end_byte=size, read=lines - 1, is_done=True))
    return FileFacts(lines - 1, written, digest.hexdigest())


def _write_declaration(declared: Declared, path: Path) -> FileFacts:
    text = declaration_json(declared)
    path.write_bytes(text)
    return FileFacts(sum(len(fields) for fields in declared.values()), len(text), hashlib.sha256(text).hexdigest())


def _blocks(rows: psycopg.Copy) -> Iterator[tuple[bytearray, int]]:
    """Whole rows, the header among them, and their count."""
    block, count = bytearray(), 0
    for row in rows:
        block += row
        count += 1
        if len(block) >= _BLOCK_BYTES:
            yield block, count
            block, count = bytearray(), 0
    yield block, count
