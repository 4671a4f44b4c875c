"""Check the load in staging before it is served (db/checks); without one, or with --served, what is served."""

import re
from dataclasses import dataclass

import psycopg
from psycopg.sql import Literal

from etl.context import Context
from etl.definitions import document_parts
from etl.errors import LoadFailed, Refused
from etl.ledger import Load, abandon_load, live_load, set_step, unfinished_load
from etl.losses import is_written
from etl.parallel import on_connections
from etl.sql import SERVED, SQL, STAGING, fill, read_sql

_SETTINGS = ["SET work_mem = '96MB'", "SET max_parallel_workers_per_gather = 0"]
"""Hash tables of a million ids stay in memory: 1.1 s instead of 3.5 s for the documents of a million products.
The connections already use the cores."""
_SAMPLED = "IN (SELECT id FROM sampled)"
"""The products of a check that makes replies again."""
_SEARCH_LISTS = ["ids", "prices", "words", "field_scales", "field_values"]
"""Definitions that a check repeats."""
_STALE = f"SELECT id FROM {SERVED}.product_state WHERE styles_seq > built_seq"
"""The products whose styles reply waits to be built from newer quantities."""
_WRITTEN = f"SELECT id FROM {SERVED}.loaded_products UNION SELECT id FROM {SERVED}.loaded_cards"
_NONE = "SELECT NULL::int WHERE false"
_SEARCHED = ["cards", "products", "features"]
"""Tables whose rows the search has as they were before writes."""


@dataclass(frozen=True)
class Check:
    """`sql` counts what is wrong."""

    title: str
    cause: str
    only_served: bool
    """Checks what can only become wrong after a load has ended."""
    sql: str


def read_checks() -> list[Check]:
    """Reads db/checks: each file has its title and cause, perhaps "only of what is served", then one query."""
    checks = []
    for path in sorted((SQL / "checks").glob("*.sql")):
        text = path.read_text(encoding="utf-8")
        head = re.match(r"-- title: (.+)\n-- cause: (.+)\n(-- only of what is served: )?", text)
        if head is None:
            raise LoadFailed(f"{path} must begin with its title and its cause")
        checks.append(Check(head[1], head[2], head[3] is not None, text))
    return checks


def run(context: Context) -> None:
    """Runs all checks, reports each result, and fails after the last one if any failed."""
    load, schema = _subject(context)
    context.display.say(f"load {load.id}, {'served' if schema == SERVED else 'in staging, not served'}")
    if schema == STAGING:
        # A load that passed before and fails now must not be served.
        set_step(context.connection, load.id, "search")
    checks = [check for check in read_checks() if schema == SERVED or not check.only_served]
    wrong: dict[str, int] = {}

    def count(connection: psycopg.Connection, check: Check) -> None:
        wrong[check.title] = _count(connection, check.sql, load, schema)

    on_connections(context.options.database_url, context.options.jobs, checks, count, _SETTINGS)
    for check in checks:
        found = wrong[check.title]
        context.display.say(f"FAIL {check.title}: {found:,}" if found else f"ok   {check.title}")
    failed = [check for check in checks if wrong[check.title]]
    if failed:
        raise LoadFailed(_failure(context, load, schema, failed))
    if schema == STAGING:
        set_step(context.connection, load.id, "verify")


def _failure(context: Context, load: Load, schema: str, failed: list[Check]) -> str:
    """The message. Abandons a load in staging: resuming it would only fail the same checks again."""
    found = "; ".join(f"not true: {check.title}: {check.cause}" for check in failed)
    if schema == SERVED:
        # Writes are also in the previous data, or would be lost with it.
        remedy = "`load DIR --as-of CURSOR`" if is_written(context.connection) else "`unswap`, or `load --again`"
        return f"{found}; {remedy} the files"
    message = f"{found}; `load` the files again, which begins a new load"
    abandon_load(context.connection, load.id, message)
    return message


def _subject(context: Context) -> tuple[Load, str]:
    """The load in staging, or the served one with `--served` or when nothing is being loaded."""
    served = live_load(context.connection)
    if served and (context.options.served or unfinished_load(context.connection) is None):
        return served, SERVED
    if context.options.served:
        raise Refused("nothing is served: run `load DIR` first")
    return context.load_after("search"), STAGING


def _count(connection: psycopg.Connection, sql: str, load: Load, schema: str) -> int:
    lists = {name: read_sql(f"search/{name}.sql") for name in _SEARCH_LISTS}
    campus = Literal(load.campus).as_string(None)
    row = connection.execute(
        fill(
            sql,
            **document_parts(),
            **lists,
            **_searched(schema),
            added=read_sql("log/added.sql"),
            wanted=_SAMPLED,
            stale=_STALE if schema == SERVED else _NONE,
            written=_WRITTEN if schema == SERVED else _NONE,
            schema=schema,
            load_id=str(load.id),
            campus=campus,
        )
    ).fetchone()
    assert row is not None
    return int(row[0])


def _searched(schema: str) -> dict[str, str]:
    """The relations that the search was made of. In staging nothing was written."""
    if schema == STAGING:
        return {name: f"{STAGING}.{name}" for name in _SEARCHED}
    return {name: f"({read_sql(f'search/loaded_{name}.sql')}) AS {name}" for name in _SEARCHED}
