"""Reads a file in blocks of about a megabyte that end at a line end."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from etl.rejects import RAW_BYTES
from etl.rows.fields import MAX_ROW_BYTES
from etl.rows.layout import open_regular

BLOCK_BYTES = 1 << 20
"""Large enough that pyarrow's start-up per block vanishes, small enough to stay in the processor's cache."""


@dataclass
class Block:
    """Whole lines. `data` ends with a line end except at the end of the file (`is_last`)."""

    data: bytes
    first_line: int
    is_last: bool
    long_rows: list[tuple[int, bytes]] = field(default_factory=list)
    """Line and beginning of rows longer than MAX_ROW_BYTES, left out of `data`. They follow it in the file."""
    skipped_bytes: int = 0


class BlockReader:
    """An iterator of blocks. `advance` can return the end of a block, to be read again with what follows it."""

    def __init__(self, path: Path, first_byte: int, first_line: int, block_bytes: int = BLOCK_BYTES) -> None:
        self._block_bytes = block_bytes
        self._file: BinaryIO = open_regular(path)
        self._file.seek(first_byte)
        self._rest = b""
        self._again: Block | None = None
        self._at_end = False
        self.byte = first_byte
        self.line = first_line

    def __enter__(self) -> "BlockReader":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def stat(self) -> os.stat_result:
        """The status of the open file, even if its path leads elsewhere by now."""
        return os.fstat(self._file.fileno())

    def __iter__(self) -> Iterator[Block]:
        """Yields blocks; the caller calls `advance` after each one."""
        while True:
            block, self._again = self._again or self._next(), None
            if not block.data and not block.long_rows:
                return
            yield block

    def advance(self, block: Block, used_bytes: int, used_lines: int) -> None:
        """Moves past the used part of a block; the rest is the next one, with what follows if nothing was used."""
        self.byte += used_bytes
        self.line += used_lines
        if used_bytes == len(block.data):
            self.byte += block.skipped_bytes
            self.line += len(block.long_rows)
        elif used_bytes:
            self._again = replace(block, data=block.data[used_bytes:], first_line=self.line)
        else:
            self._rest = block.data + self._rest

    def _next(self) -> Block:
        data = self._rest
        while True:
            more = b"" if self._at_end else self._file.read(self._block_bytes)
            self._at_end = self._at_end or not more
            has_end = b"\n" in more
            spanning = len(data) + (more.find(b"\n") if has_end else len(more))
            # Only a row that spans two reads can be too long, wherever the reads end.
            if spanning > MAX_ROW_BYTES:
                begin = data.rfind(b"\n") + 1
                if spanning - begin > MAX_ROW_BYTES:
                    return self._without_long_row(data, begin, more)
            cut = len(data) + more.rfind(b"\n") + 1 if has_end else 0
            data += more
            if self._at_end:
                self._rest = b""
                return Block(data, self.line, True)
            if cut:
                self._rest = data[cut:]
                return Block(data[:cut], self.line, False)

    def _without_long_row(self, data: bytes, begin: int, more: bytes) -> Block:
        """Skips a row that is too long, from `begin` in `data` into `more` and beyond, without holding it."""
        raw = (data[begin : begin + RAW_BYTES] + more[:RAW_BYTES])[:RAW_BYTES]
        skipped = len(data) - begin
        self._rest = b""
        while more:
            end = more.find(b"\n") + 1
            skipped += end or len(more)
            if end:
                self._rest = more[end:]
                break
            more = self._file.read(BLOCK_BYTES)
        self._at_end = not more
        lines = data.count(b"\n", 0, begin)
        return Block(data[:begin], self.line, self._at_end, [(self.line + lines, raw)], skipped)
