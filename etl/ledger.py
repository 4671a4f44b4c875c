"""The record of loads in the database: catalog_meta.loads, chunks, rejects and repairs (db/migrations)."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

import psycopg
from psycopg.rows import class_row

from etl.config import Cursor
from etl.rejects import Reject, Repair
from etl.sql import SERVED, STAGING
from etl.tables import TABLES


@dataclass(frozen=True)
class Load:
    """A row of catalog_meta.loads. `step` is the last finished step."""

    id: int
    started_at: datetime
    state: str
    step: str
    campus: str
    fingerprint: str
    compared_with: int | None
    """The load that was served when the documents were made, if they could be compared with its documents."""
    compared_seq: int | None
    as_of: int | None
    """By --as-of: the files have the writes up to this commit. Those after it, up to `replayed_seq`, were replayed."""
    as_of_index: int | None
    replayed_seq: int | None

    def is_as_of(self, cursor: Cursor) -> bool:
        """Its files have the writes up to there."""
        return (self.as_of, self.as_of_index) == (cursor.seq, cursor.index)


_LOAD_COLUMNS = ", ".join(field.name for field in fields(Load))


@dataclass(frozen=True)
class FileProgress:
    """How much of a file is committed. `end_byte` and `end_line` are where the next chunk begins."""

    chunks: int = 0
    end_byte: int = 0
    end_line: int = 0
    is_done: bool = False
    read: int = 0
    loaded: int = 0
    repaired: int = 0
    rejected: int = 0


_ROWS_AT_ONCE = 2000

Progress = dict[str, FileProgress]
"""By file name."""
Reasons = dict[str, dict[str, int]]
"""How many rows of a file were rejected for each reason, or repaired by each rule."""


def unfinished_load(connection: psycopg.Connection) -> Load | None:
    """The newest load if it did not end. Staging belongs to it, and without staging it cannot resume."""
    with connection.cursor(row_factory=class_row(Load)) as cursor:
        load = cursor.execute(
            f"SELECT {_LOAD_COLUMNS} FROM catalog_meta.loads "
            "WHERE to_regnamespace(%s) IS NOT NULL ORDER BY id DESC LIMIT 1",
            [STAGING],
        ).fetchone()
    return load if load and load.state in ("running", "failed") else None


def previous_load(connection: psycopg.Connection) -> Load | None:
    """The load that `unswap` serves again."""
    with connection.cursor(row_factory=class_row(Load)) as cursor:
        return cursor.execute(f"SELECT {_LOAD_COLUMNS} FROM catalog_meta.loads WHERE state = 'previous'").fetchone()


def begin_load(
    connection: psycopg.Connection, directory: Path, input_fingerprint: str, campus: str, as_of: Cursor | None
) -> Load:
    """Records a new load, abandons unfinished ones, and deletes the rejects and repairs of loads past use."""
    connection.execute(
        "UPDATE catalog_meta.loads SET state = 'abandoned', finished_at = clock_timestamp() "
        "WHERE state IN ('running', 'failed')"
    )
    for listed in ("rejects", "repairs"):
        connection.execute(
            f"DELETE FROM catalog_meta.{listed} USING catalog_meta.loads "
            "WHERE loads.id = load_id AND state IN ('abandoned', 'replaced')"
        )
    with connection.cursor(row_factory=class_row(Load)) as cursor:
        load = cursor.execute(
            "INSERT INTO catalog_meta.loads (fingerprint, directory, campus, as_of, as_of_index, began_seq) "
            "SELECT %s, %s, %s, %s, %s, seq FROM catalog_log.head "
            f"RETURNING {_LOAD_COLUMNS}",
            [input_fingerprint, str(directory.resolve()), campus, *_place_of(as_of)],
        ).fetchone()
    assert load is not None
    return load


def _place_of(cursor: Cursor | None) -> tuple[int | None, int | None]:
    return (cursor.seq, cursor.index) if cursor else (None, None)


def set_step(connection: psycopg.Connection, load_id: int, step: str) -> None:
    """Records the last finished step of a load; later steps are done again."""
    connection.execute(
        "UPDATE catalog_meta.loads SET step = %s, state = 'running', error = NULL WHERE id = %s",
        [step, load_id],
    )


def abandon_load(connection: psycopg.Connection, load_id: int, message: str) -> None:
    """Abandons a load that no step can repair: the same command begins a new one."""
    connection.execute(
        "UPDATE catalog_meta.loads SET state = 'abandoned', error = %s, finished_at = clock_timestamp() WHERE id = %s",
        [message, load_id],
    )


def fail_load(connection: psycopg.Connection, load_id: int, message: str) -> None:
    """Records why a load stopped; the same command resumes it. A load that is served has not failed."""
    connection.execute(
        "UPDATE catalog_meta.loads SET state = 'failed', error = %s WHERE id = %s AND state IN ('running', 'failed')",
        [message, load_id],
    )


def progress_of(connection: psycopg.Connection, load_id: int) -> Progress:
    """How much of each file is committed."""
    rows = connection.execute(
        "SELECT file, count(*)::int, max(end_byte), max(end_line), bool_or(is_last), "
        "sum(rows_read)::int, sum(rows_loaded)::int, sum(rows_repaired)::int, sum(rows_rejected)::int "
        "FROM catalog_meta.chunks WHERE load_id = %s GROUP BY file",
        [load_id],
    ).fetchall()
    found = {row[0]: FileProgress(*row[1:]) for row in rows}
    return {table.file: found.get(table.file, FileProgress()) for table in TABLES}


def rejects_of(connection: psycopg.Connection, load_id: int, file: str) -> Iterator[Reject]:
    """The rejected rows of a file, by line, a few at a time."""
    with connection.transaction(), connection.cursor("rejects") as cursor:
        cursor.execute(
            "SELECT line, reason, detail, raw FROM catalog_meta.rejects WHERE load_id = %s AND file = %s ORDER BY line",
            [load_id, file],
        )
        for line, reason, detail, raw in cursor:
            yield Reject(line, reason, detail, bytes(raw))


def repairs_of(connection: psycopg.Connection, load_id: int, file: str) -> Iterator[Repair]:
    """The repairs of a file, by line, a few at a time."""
    with connection.transaction(), connection.cursor("repairs") as cursor:
        cursor.itersize = _ROWS_AT_ONCE
        cursor.execute(
            "SELECT line, rule, columns, before, after FROM catalog_meta.repairs "
            "WHERE load_id = %s AND file = %s ORDER BY line, rule",
            [load_id, file],
        )
        for row in cursor:
            yield Repair(*row)


def reasons_of(connection: psycopg.Connection, load_id: int) -> Reasons:
    """How many rows of each file were rejected for each reason."""
    return _counts(connection, load_id, "rejects", "reason")


def rules_of(connection: psycopg.Connection, load_id: int) -> Reasons:
    """How many rows of each file each rule repaired; a row may need two."""
    return _counts(connection, load_id, "repairs", "rule")


def _counts(connection: psycopg.Connection, load_id: int, table: str, column: str) -> Reasons:
    counts: Reasons = {}
    for file, value, count in connection.execute(
        f"SELECT file, {column}, count(*)::int FROM catalog_meta.{table} WHERE load_id = %s "
        f"GROUP BY file, {column} ORDER BY file, count(*) DESC, {column}",
        [load_id],
    ):
        counts.setdefault(file, {})[value] = count
    return counts


def live_load(connection: psycopg.Connection) -> Load | None:
    """The load that is served, unless its tables were dropped."""
    with connection.cursor(row_factory=class_row(Load)) as cursor:
        return cursor.execute(
            f"SELECT {_LOAD_COLUMNS} FROM catalog_meta.loads WHERE state = 'live' AND to_regnamespace(%s) IS NOT NULL",
            [SERVED],
        ).fetchone()
