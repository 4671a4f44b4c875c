"""The limits of a load: too many rejects, too little disk."""

import os
import shutil
from fractions import Fraction
from pathlib import Path

import psycopg

from etl.errors import LoadFailed, Refused
from etl.ledger import FileProgress
from etl.rows.layout import Layout

_SMALLEST_ROW_BYTES = 2
_PEAK_PER_INPUT_BYTE = 5.6
"""Bytes of disk for each byte of CSV: 2.9 for tables with keys, documents and search, up to 2.2 for WAL, and a reserve.

Measured with a million products and max_wal_size = 8 GB; 0.2 for a search with 20,000 words is estimated.
"""


def check_ceiling(layout: Layout, progress: FileProgress, max_reject_percent: Fraction) -> None:
    """Fails the load when more than the allowed share of a file's rows is rejected.

    It fails as soon as the rest of the file cannot bring the share below the ceiling.
    """
    left = (layout.size - progress.end_byte) // _SMALLEST_ROW_BYTES
    if progress.rejected * 100 <= max_reject_percent * (progress.read + left):
        return
    enough = -(-progress.rejected * 100 // max(1, progress.read))  # rounded up
    remedies = ["look at its rejects file and correct it"]
    if layout.fields:
        remedies.append('or, for bad_field, the type of that field in fields.json ("invalid": "drop" keeps the rows)')
    if progress.rejected * 2 <= progress.read:  # nobody wants the rest of a file that is mostly wrong
        remedies.append(f"or run the same command again with --max-reject {enough}")
    raise LoadFailed(
        f"{layout.table.file}: {progress.rejected:,} of {progress.read:,} rows rejected, more than "
        f"{float(max_reject_percent):.12g} %: {', '.join(remedies)}"
    )


def check_rejects_folder(directory: Path) -> None:
    """Refuses a load before it begins if its rejected rows could not be written."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if not os.access(directory, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise Refused(f"{directory} cannot take the rejected rows ({error.strerror}): name another --rejects") from None


def check_disk(connection: psycopg.Connection, input_bytes: int, dropped_schema: str) -> None:
    """Refuses a load that the disk of a server on this machine cannot hold; the disk of a remote server is unknown.

    The load drops the tables of `dropped_schema` first, so their size counts as free. A remote server's folder may also
    exist here, so the addresses decide whether the server is local.
    """
    row = connection.execute(
        "SELECT CASE WHEN inet_server_addr() IS NULL OR inet_server_addr() = inet_client_addr() "
        "THEN current_setting('data_directory', true) END, "
        "coalesce(sum(pg_total_relation_size(oid)), 0)::bigint "
        "FROM pg_class WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r'",
        [dropped_schema],
    ).fetchone()
    directory, dropped = row or (None, 0)
    if not directory:
        return
    try:
        free = shutil.disk_usage(directory).free + dropped
    except OSError:  # on another machine, or below a folder that only PostgreSQL's user may enter
        return
    needed = round(input_bytes * _PEAK_PER_INPUT_BYTE)
    if free < needed:
        raise Refused(f"the load needs about {_size(needed)} and {directory} has {_size(free)} free: make room")


def check_free(directory: Path, needed: int) -> None:
    """Refuses an export that the disk of its folder cannot hold."""
    free = shutil.disk_usage(directory).free
    if free < needed:
        raise Refused(f"the export needs about {_size(needed)} and {directory} has {_size(free)} free: make room")


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
