"""Reads files as the loader does, without a database."""

from dataclasses import dataclass, field
from pathlib import Path

from support import Catalog

from etl.chunk import Chunk
from etl.ledger import FileProgress
from etl.rejects import Reject, Repair
from etl.rows.blocks import BLOCK_BYTES, BlockReader
from etl.rows.keys import BitMap, Keys
from etl.rows.layout import read_layout
from etl.tables import BY_NAME, Field

PRODUCT = "id,name,slogan,description,category,default_price\n"
STYLES = "id,productId,name,sale_price,original_price,default_style\n"
PHOTOS = "id,styleId,url,thumbnail_url\n"
SKUS = "id,styleId,size,quantity\n"
FEATURES = "id,product_id,feature,value\n"
RELATED = "id,current_product_id,related_product_id\n"
FILES = {
    "products": "product",
    "styles": "styles",
    "photos": "photos",
    "skus": "skus",
    "features": "features",
    "related": "related",
}


@dataclass
class Read:
    """The result of reading a file."""

    rows: list[dict[str, object]] = field(default_factory=list)
    repaired: int = 0
    rejects: list[Reject] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)
    read: int = 0
    chunk_rejects: list[int] = field(default_factory=list)

    @property
    def reasons(self) -> list[tuple[int, str]]:
        return [(reject.line, reject.reason) for reject in sorted(self.rejects, key=lambda reject: reject.line)]

    @property
    def ids(self) -> list[object]:
        return [row["id"] for row in self.rows]


def read_file(
    path: Path,
    table_name: str,
    parents: range = range(1, 100),
    block_bytes: int = BLOCK_BYTES,
    fields: tuple[Field, ...] = (),
) -> Read:
    """Reads a file without a database; its parent tables have the ids of `parents`."""
    table = BY_NAME[table_name]
    layout = read_layout(path, table, fields)
    keys = Keys(table, {name: BitMap(parents) for name in table.parents})
    found = Read()
    progress = FileProgress()
    with BlockReader(path, layout.first_byte, layout.first_line, block_bytes) as reader:
        blocks = iter(reader)
        while not progress.is_done:
            chunk = Chunk(layout, reader, blocks, keys)
            for batch in chunk.batches(1 << 25):
                found.rows += batch.to_pylist()
            found.rejects += chunk.rejects
            found.repairs += chunk.repairs
            found.chunk_rejects.append(len(chunk.rejects))
            progress = chunk.progress(progress)
    assert progress.read == progress.loaded + progress.repaired + progress.rejected
    assert progress.loaded + progress.repaired == len(found.rows)
    found.repaired, found.read = progress.repaired, progress.read
    return found


def read(catalog: Catalog, table: str, text: str | bytes, block_bytes: int = BLOCK_BYTES) -> Read:
    file = f"{FILES[table]}.csv"
    catalog.write(file, text)
    return read_file(catalog.directory / file, table, block_bytes=block_bytes)
