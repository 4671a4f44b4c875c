"""Writes that a load or an unswap would lose: it refuses unless the operator says so."""

import psycopg

from etl.context import Context
from etl.errors import Refused
from etl.ledger import live_load
from etl.sql import SERVED, read_sql

_DROP = "run the same command again with --drop-writes, which loses them; they stay in the history"
_KEEP = "`load DIR --as-of CURSOR` keeps those that the files lack, or "


def check_losses(context: Context, *, since_unswap: bool = False) -> str | None:
    """The writes that --drop-writes loses, in words.

    Args:
        context: of the command.
        since_unswap: leaves out those that an exchange of both catalogs keeps.

    Raises:
        Refused: when there are some, without that option.
    """
    live = live_load(context.connection)
    if live is None:
        return None
    with psycopg.RawCursor(context.connection) as cursor:
        row = cursor.execute(read_sql("log/lost.sql", served=SERVED), [live.id, since_unswap]).fetchone()
    assert row is not None
    products, operations, waiting = row
    if any(row) and not context.options.drop_writes:
        written = _words(products, operations + waiting)
        raise Refused(
            f"{written} were written to load {live.id}, which is served: {'' if since_unswap else _KEEP}{_DROP}"
        )
    return _words(products, operations) if products or operations else None


def is_written(connection: psycopg.Connection) -> bool:
    """The served data was written since it was loaded."""
    return connection.execute("SELECT FROM catalog_log.head WHERE is_written").fetchone() is not None


def _words(products: int, operations: int) -> str:
    return f"{_counted(products, 'product')} and {_counted(operations, 'operation')} of stock"


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"
