"""Duplicates and orphans, exactly and in the order of the file, without lists of ids.

Loaded ids are held as roaring bitmaps (https://roaringbitmap.org): at most an eighth of a byte for each dense id.
"""

from array import array
from typing import NamedTuple

import numpy as np
from pyroaring import BitMap

from etl.rejects import Reason
from etl.tables import Table


class KeyReject(NamedTuple):
    """A row that is a duplicate or an orphan; `position` is its place in the batch."""

    position: int
    reason: Reason
    detail: str


class Keys:
    """Knows which ids of a table were loaded, and those of its parents."""

    def __init__(self, table: Table, parents: dict[str, BitMap]) -> None:
        self._references = [(c.name, parents[c.parent]) for c in table.columns if c.parent]
        self.loaded = BitMap()

    def accept(self, columns: dict[str, np.ndarray]) -> list[KeyReject]:
        """Marks the ids of a batch as loaded, except those of rejected rows, which are returned.

        Args:
            columns: `id` and every column that refers to a parent, as int32, in file order.
        """
        rejects: dict[int, KeyReject] = {}
        for name, parent in self._references:
            values = columns[name]
            unknown_ids = bitmap_of(values) - parent
            if not unknown_ids:
                continue
            for position in _positions_of(values, np.array(unknown_ids.to_array(), np.uint32)):
                rejects.setdefault(position, KeyReject(position, "orphan", f"{name} {values[position]} is not loaded"))
        ids = columns["id"]
        batch = bitmap_of(ids)
        if len(batch) < len(ids) or not self.loaded.isdisjoint(batch):
            self._find_duplicates(ids, batch, rejects)
        if rejects:
            batch = bitmap_of(np.delete(ids, list(rejects)))
        self.loaded |= batch
        return [rejects[position] for position in sorted(rejects)]

    def _find_duplicates(self, ids: np.ndarray, batch: BitMap, rejects: dict[int, KeyReject]) -> None:
        """A repeated id is a duplicate only of a loaded row: an orphan leaves its id to the next."""
        seen = batch & self.loaded
        values, counts = np.unique(ids, return_counts=True)
        suspects = np.union1d(values[counts > 1], np.array(seen.to_array(), np.uint32))
        for position in _positions_of(ids, suspects):
            value = int(ids[position])
            if value in seen:
                rejects[position] = KeyReject(position, "duplicate", f"id {value} was loaded from an earlier line")
            elif position not in rejects:
                seen.add(value)


def _positions_of(values: np.ndarray, wanted: np.ndarray) -> list[int]:
    """The positions of wanted values."""
    return [int(position) for position in np.flatnonzero(np.isin(values, wanted))]


def bitmap_of(values: np.ndarray) -> BitMap:
    """A bitmap of int32 values. pyroaring reads the buffer of an array.array, but NumPy values one by one."""
    return BitMap(array("I", values.astype(np.uint32, copy=False).tobytes()))
