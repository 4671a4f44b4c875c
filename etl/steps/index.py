"""Build the keys of the copied tables (db/*indexes.sql), gather statistics, and keep new ids off those of the files."""

from contextlib import suppress

import psycopg

from etl.context import Context
from etl.ledger import set_step
from etl.parallel import execute, on_connections
from etl.sql import STAGING, read_sql, statements
from etl.tables import TABLES

_SETTINGS = ["SET max_parallel_maintenance_workers = 0"]
"""The connections already use the cores. maintenance_work_mem is a setting of the server, which knows its memory."""

_NEW = ["product", "style", "sku"]
"""Kinds to which writes give ids, of which the files may have any."""


def run(context: Context) -> None:
    """Builds what is missing; a finished index is kept."""
    load = context.load_after("copy")
    # On what is served, a build waits for every open snapshot, such as that of a backup, and writes would wait for it.
    for_writes = read_sql("write_indexes.sql", schema=STAGING).replace("CONCURRENTLY", "IF NOT EXISTS")
    builds = statements(read_sql("indexes.sql", schema=STAGING)) + statements(for_writes)
    builds += _of_lookups(context.connection, load.id)
    options = context.options
    on_connections(options.database_url, options.jobs, builds, _build, _SETTINGS)
    passed = [f"SELECT catalog_log.pass_ids('catalog_log.{kind}_ids', '{STAGING}.{kind}s')" for kind in _NEW]
    analyses = [f"ANALYZE {STAGING}.{table.name}" for table in TABLES]
    on_connections(options.database_url, options.jobs, [*passed, *analyses], execute)
    set_step(context.connection, load.id, "index")


def _of_lookups(connection: psycopg.Connection, load_id: int) -> list[str]:
    """The keys of fields by which skus are looked up."""
    fields = connection.execute(
        "SELECT key FROM catalog_meta.declarations CROSS JOIN json_each(content -> 'skus') "
        "WHERE load_id = %s AND (value ->> 'lookup')::boolean",
        [load_id],
    )
    return [
        each for (field,) in fields for each in statements(read_sql("lookup_index.sql", field=field, schema=STAGING))
    ]


def _build(connection: psycopg.Connection, statement: str) -> None:
    # The table has a key from an earlier run: PostgreSQL keeps a whole index or none.
    with suppress(psycopg.errors.InvalidTableDefinition):
        execute(connection, statement)
