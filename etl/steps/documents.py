"""Build the replies and cards of the API from the copied rows (db/documents), then their keys and the page blocks."""

from itertools import pairwise

import psycopg

from etl.comparisons import set_compared_with
from etl.context import Context
from etl.definitions import document_parts
from etl.errors import Refused
from etl.ledger import Load, live_load, set_step
from etl.parallel import execute, on_connections
from etl.sql import SERVED, STAGING, fill, read_sql, statements
from etl.tables import MAX_INT

_RANGE_PRODUCTS = 5_000
"""Products built by one statement: enough that planning is rare and that many share a list of sizes, few enough that
their replies stay in work_mem until their cards are made and that all connections end together."""
_LZ4_WHERE_KNOWN = (
    "SELECT set_config('default_toast_compression', 'lz4', false) FROM pg_settings "
    "WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)"
)
"""pglz, the only compression of the embedded PostgreSQL, takes a sixth of this step's processor time."""
_SETTINGS = ["SET max_parallel_workers_per_gather = 0", _LZ4_WHERE_KNOWN]
_TABLES = {"product_documents": "id", "styles_documents": "id", "cards": "id", "page_blocks": "first_id"}
"""With their keys. Statistics of other columns would need whole replies, and no query uses them."""
_BESIDE = ["changes", "product_state", "loaded_products", "loaded_cards", "shown_only", "hidden_documents"]
_CAN_BE_COMPARED = "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attname = 'content')"
"""Documents can be compared if a release that keeps times made them."""

Range = tuple[int, int]


def run(context: Context) -> None:
    """Builds all documents and cards."""
    load = context.load_after("index")
    if load.as_of is not None and load.replayed_seq is None:
        raise Refused(f"load {load.id} has --as-of: run `replay` first")
    options, connection = context.options, context.connection
    _clear(connection, load)
    filling = _filling(connection.info.server_version, _compare(connection, load))

    def build(worker: psycopg.Connection, ids: Range) -> None:
        with psycopg.RawCursor(worker) as cursor:
            cursor.execute(filling, [*ids, load.campus, load.id, load.started_at])

    on_connections(options.database_url, options.jobs, _ranges(connection), build, _SETTINGS)
    on_connections(options.database_url, options.jobs, _after_rows(load), execute)
    connection.execute(read_sql("schema/004_page_block_counts.sql", schema=STAGING))
    set_step(connection, load.id, "documents")


def _clear(connection: psycopg.Connection, load: Load) -> None:
    """Recreates the tables of documents without rows and keys, whatever a stopped run left."""
    with connection.transaction():
        # The load no longer counts as built or verified, or after a kill `swap` could serve a part of it.
        set_step(connection, load.id, "index" if load.as_of is None else "replay")
        if load.as_of is not None:
            added = read_sql("log/added.sql", schema=STAGING)
            connection.execute(read_sql("replay/keep_rows.sql", added=added, load_id=str(load.id)))
        connection.execute(f"DROP TABLE IF EXISTS {', '.join(f'{STAGING}.{table}' for table in [*_TABLES, *_BESIDE])}")
        connection.execute(f"DROP FUNCTION IF EXISTS {STAGING}.count_page_block")
        connection.execute(read_sql("schema/002_documents.sql", schema=STAGING))


def _compare(connection: psycopg.Connection, load: Load) -> bool:
    """Records which load this one is compared with; false when there is none, or an earlier release made it."""
    live = live_load(connection)
    row = connection.execute(_CAN_BE_COMPARED, [f"{SERVED}.product_documents"]).fetchone()
    is_compared = bool(live and row and row[0])
    set_compared_with(connection, load.id, live.id if live and is_compared else None)
    return is_compared


def _ranges(connection: psycopg.Connection) -> list[Range]:
    """Ranges of all ids with about the same number of products each, whatever the gaps."""
    rows = connection.execute(
        f"SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM {STAGING}.products) AS numbered "
        "WHERE n %% %s = 1 ORDER BY id",
        [_RANGE_PRODUCTS],
    ).fetchall()
    bounds = [1, *(row[0] for row in rows[1:]), MAX_INT + 1]
    return [(first, following - 1) for first, following in pairwise(bounds)]


def _filling(server_version: int, is_compared: bool) -> str:
    """The statement that fills a range.

    The SQL files say where they use to_json that PostgreSQL 17 and later get JSON_SCALAR: the same bytes (`verify`
    compares them) without looking up its argument's type in each call, an eighth of this step.
    """
    parts = document_parts()
    before = fill(parts["stored"], schema=SERVED) if is_compared else parts["nothing"]
    filling = fill(
        parts["fill"], before=before, is_compared=str(is_compared), **parts, wanted="BETWEEN $1 AND $2", schema=STAGING
    )
    return filling.replace("to_json(", "JSON_SCALAR(") if server_version >= 170000 else filling


def _after_rows(load: Load) -> list[str]:
    """The keys (the largest table first), the page blocks, which need no key, and the statistics of each table."""
    keys = statements(read_sql("schema/003_document_keys.sql", schema=STAGING))
    page_blocks = read_sql("documents/page_blocks.sql", schema=STAGING).replace("$1", str(load.id))
    analyses = {table: f"ANALYZE {STAGING}.{table} ({key})" for table, key in _TABLES.items()}
    filled = f"INSERT INTO {STAGING}.page_blocks {page_blocks}; {analyses.pop('page_blocks')}"
    return [*keys, filled, *analyses.values()]
