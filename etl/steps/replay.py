"""Replay writes that came after the cursor of --as-of onto the copied rows, before their documents are made."""

from etl.context import Context
from etl.errors import Refused
from etl.later_writes import check_rejected, one_state, replay_rows
from etl.ledger import set_step


def run(context: Context) -> None:
    """Replays once: later writes follow in `swap`."""
    load = context.load_after("index")
    connection = context.connection
    if load.as_of is None:
        raise Refused(f"load {load.id} has no cursor: name one in `load DIR --as-of CURSOR`")
    if load.replayed_seq is None:
        with one_state(connection):
            replay_rows(connection, load)
    check_rejected(connection, load, context.options.max_rejected_writes)
    set_step(connection, load.id, "replay")
