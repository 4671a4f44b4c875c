"""Replay writes that came after the cursor of --as-of onto the copied rows, before their documents are made."""

from etl.context import Context
from etl.errors import Refused
from etl.later_writes import check_rejected, one_state, replay_rows
from etl.ledger import set_step
from etl.parallel import execute, on_connections
from etl.sql import STAGING, read_sql, statements


def run(context: Context) -> None:
    """Replays once: later writes follow in `swap`."""
    load = context.load_after("index")
    connection, options = context.connection, context.options
    if load.as_of is None:
        raise Refused(f"load {load.id} has no cursor: name one in `load DIR --as-of CURSOR`")
    if load.replayed_seq is None:
        # Replaying finds rows by them. A load without writes gets them after its swap.
        builds = statements(read_sql("write_indexes.sql", schema=STAGING).replace("CONCURRENTLY", "IF NOT EXISTS"))
        on_connections(options.database_url, options.jobs, builds, execute)
        with one_state(connection):
            replay_rows(connection, load)
    check_rejected(connection, load, options.max_rejected_writes)
    set_step(connection, load.id, "replay")
