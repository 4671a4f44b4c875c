"""Show the loads: when, how long, rows, rejects, and which one is served."""

from etl.context import Context
from etl.database import LOADER_LOCK
from etl.progress import print_table

_SHOWN = 20

# A killed loader leaves its state "running". A replica has the ledger of its primary but not its locks.
_LOADS = """
SELECT
  loads.id,
  CASE WHEN state <> 'running' OR pg_is_in_recovery() OR EXISTS (
    SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE datname = current_database() AND locktype = 'advisory' AND classid::bigint << 32 | objid::bigint = %s
  ) THEN state ELSE 'stopped' END,
  to_char(started_at, 'YYYY-MM-DD HH24:MI:SS') || ' UTC',
  extract(epoch FROM finished_at - started_at)::float,
  coalesce(sum(rows_loaded + rows_repaired), 0)::bigint, coalesce(sum(rows_repaired), 0)::bigint,
  coalesce(sum(rows_rejected), 0)::bigint, loads.step, coalesce(loads.error, '')
FROM catalog_meta.loads
LEFT JOIN catalog_meta.chunks ON chunks.load_id = loads.id
GROUP BY loads.id
ORDER BY loads.id DESC
LIMIT %s
"""


def run(context: Context) -> None:
    """Prints the newest loads, and below them the data version."""
    rows = context.connection.execute(_LOADS, [LOADER_LOCK, _SHOWN]).fetchall()
    row = context.connection.execute(
        "SELECT version, load_id, era, seq FROM catalog_meta.data_version, catalog_log.head"
    ).fetchone()
    print_table(
        "Loads",
        ["load", "state", "started", "took", "rows", "repaired", "rejected", "last step", "error"],
        [
            [
                str(id_),
                state,
                started,
                f"{took:.0f} s" if took is not None else "",
                f"{loaded:,}",
                f"{repaired:,}",
                f"{rejected:,}",
                step,
                error,
            ]
            for id_, state, started, took, loaded, repaired, rejected, step, error in rows
        ],
        f"data version {row[0]}, load {row[1] if row[1] is not None else '-'} is served, commit {row[2]}.{row[3]}"
        if row
        else "",
    )
