"""The plan of an upsert: the requests that bring a part into what is served. A stopped run goes on with its plan."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg

from etl.errors import LoadFailed
from etl.ledger import FileProgress, Progress, Reasons, live_load
from etl.rejects import RAW_BYTES, Reject, write_rejects
from etl.rows.layout import Layout
from etl.sql import SERVED, read_sql, statements
from etl.tables import UPDATED
from etl.writer_client import Refusal

_LAST_FILE_ID = 1_500_000_000
"""The highest id that may be new: the API gives those above it (server/writer/content/rules.js)."""
_LINE_BYTES = 1 << 20
"""The longest line that the writer takes."""
_REQUEST_BYTES = 2 << 20
"""With a thousand for each line: a request is done in a second or two."""
_OPERATIONS = 10_000
"""The most of a request of stock."""
_TRIES = 3


@dataclass(frozen=True)
class Request:
    """A request of a plan."""

    place: int
    path: str
    rows: int
    body: str


@dataclass(frozen=True)
class Run:
    """The state of a plan."""

    name: str
    fingerprint: str
    directory: str
    done: int
    """The last request that was answered whole."""


@dataclass(frozen=True)
class Plan:
    """The plan in a schema."""

    connection: psycopg.Connection
    schema: str

    def find(self) -> Run | None:
        """The plan of a run that has not ended."""
        row = self.connection.execute("SELECT to_regclass(%s) IS NOT NULL", [f"{self.schema}.run"]).fetchone()
        if not row or not row[0]:
            return None
        found = self._rows("SELECT name::text, fingerprint, directory, done FROM {upsert}.run")
        return Run(*found[0]) if found else None

    def begin(self) -> None:
        """Makes empty tables; drops those of another plan."""
        with self.connection.transaction():
            self.drop()
            self.connection.execute(f"CREATE SCHEMA {self.schema}")
            for statement in statements(read_sql("upsert/tables.sql", upsert=self.schema)):
                self.connection.execute(statement.encode())

    def drop(self) -> None:
        """Removes all that is kept of an upsert."""
        self.connection.execute(f"DROP SCHEMA IF EXISTS {self.schema} CASCADE")

    def compare(self, layouts: list[Layout]) -> None:
        """Makes the requests of the rows that were read.

        Raises:
            LoadFailed: when loads are swapped in all the time.
        """
        for _ in range(_TRIES):
            with self.connection.transaction() as transaction:
                before = live_load(self.connection)
                for name in ("plan", "part_lists", "part_requests"):
                    for statement in statements(read_sql(f"upsert/{name}.sql", **self._names(layouts))):
                        self.connection.execute(statement.encode())
                if before == live_load(self.connection):
                    return
                raise psycopg.Rollback(transaction)
        raise LoadFailed(
            "loads were swapped in while the part was compared: wait for them, then run the same command again"
        )

    def seal(self, digest: str, directory: Path) -> None:
        """Lets the requests be sent, by this run or by one of the same files."""
        self.connection.execute(
            f"INSERT INTO {self.schema}.run (fingerprint, directory) VALUES (%s, %s)", [digest, str(directory)]
        )

    def refuse(self, layouts: list[Layout], rejects: Path, progress: Progress, reasons: Reasons) -> None:
        """Counts and lists the rows that the comparison has refused, behind those that their file's reading has."""
        for layout in layouts:
            file = layout.table.file
            counts = self._rows(
                "SELECT reason, count(*)::int FROM {upsert}.refused WHERE file = %s GROUP BY reason ORDER BY reason",
                file,
            )
            for reason, count in counts:
                own = reasons.setdefault(file, {})
                own[reason] = own.get(reason, 0) + count
                progress[file] = replace(progress[file], rejected=progress[file].rejected + count)
            if counts:
                write_rejects(rejects, file, self._refused(layout), first=False)

    def _refused(self, layout: Layout) -> Iterator[Reject]:
        with (
            self.connection.transaction(),
            self.connection.cursor("refused") as cursor,
            layout.path.open("rb") as lines,
        ):
            cursor.execute(
                f"SELECT line, reason, detail FROM {self.schema}.refused WHERE file = %s ORDER BY line",
                [layout.table.file],
            )
            at = 0
            for line, reason, detail in cursor:
                raw = b""
                while at < line:
                    at, raw = at + 1, lines.readline()
                yield Reject(line, reason, detail, raw[:RAW_BYTES].rstrip(b"\r\n"))

    def counts(self) -> dict[str, tuple[int, ...]]:
        """By file: rows that are created, changed and unchanged."""
        return {file: tuple(own) for file, *own in self._rows(read_sql("upsert/part_counts.sql", upsert=self.schema))}

    def total(self, done: int | None = None) -> FileProgress:
        """The writes up to a request, or all: as the progress of a file, with the bytes of their bodies."""
        [(rows, size)] = self._rows(
            "SELECT coalesce(sum(rows), 0)::int, coalesce(sum(octet_length(body)), 0)::bigint "
            "FROM {upsert}.requests WHERE %s::int IS NULL OR place <= %s",
            done,
            done,
        )
        return FileProgress(end_byte=size, read=rows)

    def first(self, count: int) -> list[str]:
        """The first changes of products and of quantities, a line each."""
        return [text for (text,) in self._rows(read_sql("upsert/first.sql", upsert=self.schema, count=str(count)))]

    def requests(self, done: int) -> Iterator[Request]:
        """Those that are not done, one at a time."""
        while rows := self._rows(
            "SELECT place, path, rows, body FROM {upsert}.requests WHERE place > %s ORDER BY place LIMIT 1", done
        ):
            request = Request(*rows[0])
            yield request
            done = request.place

    def answered(self, request: Request, refusals: list[Refusal]) -> None:
        """Notes that a request is done, with the writes of it that were refused."""
        with self.connection.transaction(), self.connection.cursor() as cursor:
            cursor.execute(f"UPDATE {self.schema}.run SET done = %s", [request.place])
            cursor.executemany(
                f"INSERT INTO {self.schema}.refused_writes VALUES (%s, %s, %s, %s, %s)",
                [(request.place, each.kind, each.id, each.status, each.problem) for each in refusals],
            )

    def refused_writes(self) -> list[tuple[object, ...]]:
        """Kind, id, status and problem of each."""
        return self._rows("SELECT kind, id, status, problem FROM {upsert}.refused_writes ORDER BY place, kind, id")

    def keep_report(self, rows: list[list[str]]) -> None:
        """Keeps the report for a run that goes on."""
        with self.connection.cursor() as cursor:
            cursor.executemany(f"INSERT INTO {self.schema}.report VALUES (%s, %s)", list(enumerate(rows)))

    def report(self) -> list[list[str]]:
        return [cells for (cells,) in self._rows("SELECT cells FROM {upsert}.report ORDER BY place")]

    def _names(self, layouts: list[Layout]) -> dict[str, str]:
        fields: dict[str, dict[str, None]] = {name: {} for name in UPDATED} | {
            layout.table.name: dict.fromkeys(field.name for field in layout.fields) for layout in layouts
        }
        columns = {layout.table.name: {column.name for column in layout.table.columns} for layout in layouts}
        return {
            "upsert": self.schema,
            "schema": SERVED,
            "last_id": str(_LAST_FILE_ID),
            "line_bytes": str(_LINE_BYTES),
            "request_bytes": str(_REQUEST_BYTES),
            "operations": str(_OPERATIONS),
            **{f"{name}_fields": json.dumps(own).replace("'", "''") for name, own in fields.items()},
            **{f"{name}_sale": str("sale_price" in columns.get(name, ())).lower() for name in ("styles", "prices")},
        }

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql.replace("{upsert}", self.schema).encode(), values or None).fetchall()
