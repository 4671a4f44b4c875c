"""Make the sets of products that hold each word and value (db/schema/005_search.sql), then what is listed of them."""

import psycopg

from etl.config import NO_LANGUAGE
from etl.context import Context
from etl.declaration import DECLARABLE, stored_declaration
from etl.ledger import Load, set_step
from etl.messages import Progressed, SetsTask, TaskDone
from etl.parallel import execute, on_connections
from etl.pool import Pool
from etl.sql import STAGING, read_sql, statements
from etl.tables import BY_NAME, SEARCH_CHUNK

_ONLY_HERE = ["search_names", "search_spellings", "search_features"]
_TABLES = ["search_sets", "search_blobs", *_ONLY_HERE]
_BEFORE_SETS = ["price_order", "ids", "prices"]
"""The workers read the ids. The prices are made beside them: they need no set."""
_AFTER_SETS = ["name_order", "facets", "words", "spellings"]
_MOST_VALUES = 10_000
"""Values of a facet that workers count well: they hold all of them, and read their sets."""
_SETTINGS = [
    "SET work_mem = '96MB'",
    "SET max_parallel_workers_per_gather = 0",
    "SET max_parallel_maintenance_workers = 0",
]
"""Sorts of a million rows stay in memory. The connections already use the cores."""


def run(context: Context) -> None:
    """Makes all sets, or with --no-search only the empty tables."""
    load = context.load_after("documents")
    options, connection = context.options, context.connection
    _clear(connection, load)
    if options.search and options.language not in (options.search_language, NO_LANGUAGE):
        context.display.say(
            f"the search knows no forms of words of language {options.language}: loads as {NO_LANGUAGE}"
        )
    key = statements(read_sql("schema/006_search_key.sql", schema=STAGING))
    if options.search:
        on_connections(
            options.database_url, options.jobs, [_blob(name, load) for name in _BEFORE_SETS], execute, _SETTINGS
        )
        connection.execute(
            f"INSERT INTO {STAGING}.search_blobs SELECT 'fields', load_id, convert_to(content::text, 'UTF8') "
            "FROM catalog_meta.declarations WHERE load_id = %s",
            [load.id],
        )
        _make_sets(context, load)
        after = [*key, _scales(load), *(_blob(name, load) for name in _AFTER_SETS)]
        on_connections(options.database_url, options.jobs, after, execute, _SETTINGS)
        connection.execute(
            f"INSERT INTO {STAGING}.search_blobs VALUES ('language', %s, convert_to(%s, 'UTF8'))",
            [load.id, options.search_language],
        )
        connection.execute(f"ANALYZE {STAGING}.search_sets (key, chunk)")
        _warn_of_facets(context)
    else:
        for statement in key:
            connection.execute(statement)
    connection.execute(f"DROP TABLE {', '.join(f'{STAGING}.{table}' for table in _ONLY_HERE)}")
    set_step(connection, load.id, "search")


def is_made(connection: psycopg.Connection, schema: str, language: str) -> bool:
    """The load in a schema has a search of that language."""
    row = connection.execute(
        f"SELECT EXISTS (SELECT FROM {schema}.search_blobs "
        "WHERE name = 'language' AND convert_from(body, 'UTF8') = %s)",
        [language],
    ).fetchone()
    return bool(row and row[0])


def _clear(connection: psycopg.Connection, load: Load) -> None:
    """Recreates the tables of the search without rows and keys, whatever a stopped run left."""
    with connection.transaction():
        # The load no longer counts as searchable or verified, or after a kill `swap` could serve a part of it.
        set_step(connection, load.id, "documents")
        connection.execute(f"DROP TABLE IF EXISTS {', '.join(f'{STAGING}.{table}' for table in _TABLES)}")
        connection.execute(read_sql("schema/005_search.sql", schema=STAGING))


def _blob(name: str, load: Load) -> str:
    """The statement that makes a blob."""
    body = read_sql(f"search/{name}.sql", cards=f"{STAGING}.cards", schema=STAGING)
    return f"INSERT INTO {STAGING}.search_blobs SELECT '{name}', {load.id}, ({body})"


def _warn_of_facets(context: Context) -> None:
    rows = context.connection.execute(
        "SELECT facet ->> 0, json_array_length(facet -> 1) "
        f"FROM {STAGING}.search_blobs CROSS JOIN json_array_elements(convert_from(body, 'UTF8')::json) AS facet "
        "WHERE name = 'facets' AND facet ->> 0 LIKE 'field.%%' AND json_array_length(facet -> 1) > %s ORDER BY 1",
        [_MOST_VALUES],
    )
    for name, values in rows:
        context.display.say(
            f"{name} has {values:,} different values: workers count at most {_MOST_VALUES:,} well; "
            'give it no "facet": true, but "search" or "lookup"'
        )


def _scales(load: Load) -> str:
    """The statement that makes the scales of all declared numbers and dates."""
    parts = {name: read_sql(f"search/{name}.sql") for name in ("field_scales", "field_values")}
    scales = read_sql("search/scales.sql", **parts, wanted="IS NOT NULL", schema=STAGING)
    return f"INSERT INTO {STAGING}.search_blobs SELECT name, {load.id}, body FROM ({scales}) AS made (name, body)"


def _make_sets(context: Context, load: Load) -> None:
    """Makes the sets chunk by chunk on worker processes."""
    options, connection = context.options, context.connection
    row = connection.execute(f"SELECT count(*) FROM {STAGING}.cards").fetchone()
    products = int(row[0]) if row else 0
    declared = stored_declaration(connection, load.id)
    fields = {name: declared.of(BY_NAME[name]) for name in DECLARABLE}
    tasks = [SetsTask(chunk, load.id, options.database_url, fields) for chunk in range(-(-products // SEARCH_CHUNK))]
    done = 0

    def on_report(report: Progressed) -> None:
        nonlocal done
        if isinstance(report, TaskDone):
            done += 1
            context.display.share("search", done, len(tasks))

    context.display.share("search", done, len(tasks))
    with Pool(options.jobs, on_report) as pool:
        pool.run(tasks)
