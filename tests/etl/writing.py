"""Writes as the writer makes them: rows, their documents and a commit in one transaction behind the gate."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from support import Database

from etl.definitions import document_parts
from etl.sql import fill

GATE = "SELECT pg_advisory_xact_lock_shared(catalog_log.gate())"
Changed = list[tuple[int, str | None, bool, bool]]
"""Rows of rebuild.sql: id, kind, has_styles, has_card."""


@dataclass
class Write:
    """An open transaction of the role catalog_writer."""

    connection: psycopg.Connection

    def execute(self, sql: str) -> None:
        self.connection.execute(sql)

    def rebuild(self, *ids: int) -> Changed:
        parts = document_parts()
        sql = fill(parts["rebuild"], **parts, wanted="= ANY ($1::int[])", schema="catalog")
        with psycopg.RawCursor(self.connection) as cursor:
            live = "SELECT campus, id FROM catalog_meta.loads WHERE state = 'live'"
            [(campus, load_id)] = cursor.execute(live).fetchall()
            return cursor.execute(
                sql.replace("$4::timestamptz", "clock_timestamp()"), [list(ids), campus, load_id]
            ).fetchall()

    def finish(self, *ids: int) -> Changed:
        """Makes the documents, appends the commit and commits."""
        changed = self.rebuild(*ids)
        kinds = ("created", "updated", "deleted", "restocked")
        lists = [[id_ for id_, kind, *_ in changed if kind == wanted] for wanted in kinds]
        is_content = any(lists[:3])
        self.connection.execute(
            "SELECT catalog_log.append(%s, 1, %s::int[], %s::int[], %s::int[], %s::int[], %s::int[])",
            ["content" if is_content else "stock", *lists, [id_ for id_, _, _, has_card in changed if has_card]],
        )
        self.connection.commit()
        return changed


@contextmanager
def write(database: Database) -> Iterator[Write]:
    """Opens a write, which has passed the gate. It is rolled back unless it finishes."""
    with psycopg.connect(database.superuser) as connection:
        connection.execute("SET ROLE catalog_writer")
        connection.execute(GATE)
        yield Write(connection)
        connection.rollback()


def change(database: Database, sql: str, *ids: int) -> Changed:
    """Changes rows of products, and all that follows from them."""
    with write(database) as opened:
        opened.execute(sql)
        return opened.finish(*ids)
