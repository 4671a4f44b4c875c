"""A run of blocks that is committed at once, as a stream of Arrow batches for COPY."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from etl.errors import LoadFailed
from etl.ledger import FileProgress
from etl.rejects import Reject, Repair
from etl.rows.arrow import column_type
from etl.rows.blocks import Block, BlockReader
from etl.rows.clean import CleanBlock, clean_block
from etl.rows.keys import Keys
from etl.rows.layout import Layout

_MAX_LISTED = 50_000
_MAX_LISTED_BYTES = 16 << 20
"""A chunk ends early at this many rejects and repairs, or bytes of them: memory holds them until its commit."""


def batch_schema(layout: Layout) -> pa.Schema:
    """The columns for COPY: those of the file, the fields, and the line where the API shows file order."""
    columns = [(column.name, column_type(column)) for column in layout.table.columns]
    columns += [("fields", pa.string())] if layout.fields else []
    return pa.schema(columns + ([("position", pa.int32())] if layout.table.keeps_file_order else []))


class Chunk:
    """Iterate over `batches` once; then `progress`, `rejects` and `repairs` describe the chunk."""

    def __init__(
        self,
        layout: Layout,
        reader: BlockReader,
        blocks: Iterator[Block],
        keys: Keys,
        on_block: Callable[["Chunk"], None] = lambda _: None,
    ) -> None:
        self._on_block = on_block
        self._layout = layout
        self._reader = reader
        self._blocks = blocks
        self._keys = keys
        self._references = [c.name for c in layout.table.columns if c.parent or c.name == "id"]
        self.rejects: list[Reject] = []
        self.repairs: list[Repair] = []
        self._listed_bytes = 0
        self.read = self.loaded = self.repaired = 0
        self.is_last = False

    def batches(self, chunk_bytes: int) -> Iterator[pa.RecordBatch]:
        """Cleans blocks until the chunk has its size or the file ends."""
        begin = self._reader.byte
        while self._reader.byte - begin < chunk_bytes and not self._is_full():
            block = next(self._blocks, None)
            if block is None:
                self.is_last = True
                return
            clean = clean_block(block, self._layout)
            self._reader.advance(block, clean.used_bytes, clean.used_lines)
            rows = self._load(clean)
            self._on_block(self)
            yield from rows.to_batches()

    def _is_full(self) -> bool:
        listed = len(self.rejects) + len(self.repairs)
        return listed >= _MAX_LISTED or self._listed_bytes >= _MAX_LISTED_BYTES

    def check_unchanged(self) -> None:
        """Refuses to commit rows of another file: a load that resumes after a kill would take them for ours.

        Raises:
            LoadFailed: when the file is not the one whose header was read.
        """
        if not self._layout.is_of(self._reader.stat()):
            raise LoadFailed(f"{self._layout.path} changed while it was read")

    def progress(self, before: FileProgress) -> FileProgress:
        """How much of the file is done with this chunk."""
        return replace(
            before,
            chunks=before.chunks + 1,
            end_byte=self._reader.byte,
            end_line=self._reader.line,
            is_done=self.is_last,
            read=before.read + self.read,
            loaded=before.loaded + self.loaded,
            repaired=before.repaired + self.repaired,
            rejected=before.rejected + len(self.rejects),
        )

    def _load(self, clean: CleanBlock) -> pa.Table:
        rows, lines = clean.table, clean.lines
        self.read += len(lines) + len(clean.rejects)
        keys = {name: rows.column(name).to_numpy() for name in self._references}
        rejected = self._keys.accept(keys) if len(lines) else []
        places = [int(lines[reject.position]) for reject in rejected]
        by_key = [Reject(at, r.reason, r.detail, clean.raw(at)) for at, r in zip(places, rejected, strict=True)]
        rejects = sorted(clean.rejects + by_key, key=lambda reject: reject.line)
        repairs = clean.repairs
        if rejected:
            keep = np.ones(len(lines), bool)
            keep[[reject.position for reject in rejected]] = False
            rows, lines = rows.filter(pa.array(keep)), lines[keep]
            unloaded = set(places)
            repairs = [repair for repair in repairs if repair.line not in unloaded]
        repaired = len({repair.line for repair in repairs})
        self.repaired += repaired
        self.loaded += len(lines) - repaired
        self._list(rejects, repairs)
        if self._layout.table.keeps_file_order:
            rows = rows.append_column("position", pa.array(lines))
        return rows.select(batch_schema(self._layout).names)

    def _list(self, rejects: list[Reject], repairs: list[Repair]) -> None:
        self.rejects += rejects
        self.repairs += repairs
        self._listed_bytes += sum(len(reject.raw) for reject in rejects)
        self._listed_bytes += sum(len(repair.before) + len(repair.after) for repair in repairs)
