"""Makes the sets of one chunk of products and copies them into search_sets."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import adbc_driver_postgresql.dbapi as adbc
import numpy as np
import pyarrow as pa
from adbc_driver_postgresql import StatementOptions

from etl.search.own_fields import OwnFields
from etl.search.products import FEATURES, NAMES, SPELLINGS, Products
from etl.search.sets import SETS
from etl.sql import STAGING, read_sql
from etl.tables import SEARCH_CHUNK, Field

_ID_BYTES = 4
_BATCH_BYTES = str(2 << 20)
"""Cutting a text takes up to ten times its bytes. Usual products fit into one batch."""


class SetBuilder:
    """Works on one connection."""

    def __init__(self, connection: adbc.Connection, load_id: int) -> None:
        self._connection = connection
        self._load_id = load_id

    def build(self, chunk: int, fields: Mapping[str, Sequence[Field]], on_part: Callable[[], None]) -> None:
        """Makes and copies all sets of a chunk; calls `on_part` often."""
        own = {table: OwnFields(some) for table, some in fields.items()}
        products = Products(self._ids(chunk), self._read, chunk, self._load_id, own)
        products.add_all(on_part)
        self._copy("search_sets", SETS, products.sets())
        self._copy("search_names", NAMES, [products.names()])
        self._copy("search_spellings", SPELLINGS, [products.spellings()])
        self._copy("search_features", FEATURES, [products.features()])

    def _read(self, name: str, **which: str) -> Iterator[pa.RecordBatch]:
        sql = read_sql(f"search/rows_{name}.sql", schema=STAGING, **which)
        with self._connection.cursor() as cursor:
            cursor.adbc_statement.set_options(**{StatementOptions.BATCH_SIZE_HINT_BYTES.value: _BATCH_BYTES})
            cursor.execute(sql)
            yield from cursor.fetch_record_batch()

    def _ids(self, chunk: int) -> np.ndarray:
        """The ids of a chunk by position."""
        part = f"substr(body, {1 + chunk * SEARCH_CHUNK * _ID_BYTES}, {SEARCH_CHUNK * _ID_BYTES})"
        with self._connection.cursor() as cursor:
            cursor.execute(f"SELECT {part} FROM {STAGING}.search_blobs WHERE name = 'ids'")
            return np.frombuffer(cursor.fetchone()[0], ">i4").astype(np.int32)

    def _copy(self, table: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
        with self._connection.cursor() as cursor:
            reader = pa.RecordBatchReader.from_batches(schema, batches)
            cursor.adbc_ingest(table, reader, mode="append", db_schema_name=STAGING)
