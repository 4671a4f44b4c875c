"""How loads of the ledger stand to what is served: cursor, comparison, commit."""

import psycopg

from etl.config import Cursor


def set_as_of(connection: psycopg.Connection, load_id: int, as_of: Cursor) -> None:
    """Gives a load that was begun without a cursor one: what is made of its rows is made again."""
    connection.execute(
        "UPDATE catalog_meta.loads SET as_of = %s, as_of_index = %s, "
        "step = CASE WHEN step IN ('begin', 'copy') THEN step ELSE 'index' END WHERE id = %s",
        [as_of.seq, as_of.index, load_id],
    )


def set_compared_seq(connection: psycopg.Connection, load_id: int) -> None:
    """Records that the list of changes knows the writes of this moment."""
    connection.execute(
        "UPDATE catalog_meta.loads SET compared_seq = (SELECT seq FROM catalog_log.head) WHERE id = %s", [load_id]
    )


def set_compared_with(connection: psycopg.Connection, load_id: int, live_id: int | None) -> None:
    """Records the served load, and the last commit, with which the documents of a load are compared."""
    connection.execute(
        "UPDATE catalog_meta.loads SET compared_with = %s, compared_seq = (SELECT seq FROM catalog_log.head) "
        "WHERE id = %s",
        [live_id, load_id],
    )


def set_served(connection: psycopg.Connection) -> None:
    """Records, inside the gate, the commit and the position of the stock log with which the live load is served."""
    connection.execute(
        "UPDATE catalog_meta.loads SET served_seq = head.seq + 1, served_pos = applied.pos "
        "FROM catalog_log.head, catalog_log.stock_applied AS applied WHERE state = 'live'"
    )


def forget_comparisons(connection: psycopg.Connection) -> None:
    """Lets an unfinished load make its documents again, because what they were compared with is no longer served.

    One with writes of what was served begins again.
    """
    connection.execute(
        "UPDATE catalog_meta.loads SET state = 'abandoned', finished_at = clock_timestamp(), "
        "error = 'its writes are of a load that is no longer served' "
        "WHERE state IN ('running', 'failed') AND replayed_seq IS NOT NULL"
    )
    connection.execute(
        "UPDATE catalog_meta.loads SET step = 'index' "
        "WHERE state IN ('running', 'failed') AND step IN ('documents', 'search', 'verify')"
    )
