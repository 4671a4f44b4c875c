"""Duplicates and orphans, exactly and in the order of the file, without lists of ids.

Loaded ids are held as roaring bitmaps (https://roaringbitmap.org): at most an eighth of a byte for each dense id,
1.5 MB for 11 million skus.
"""

from array import array

import numpy as np
from pyroaring import BitMap

from etl.tables import Table

Rejection = tuple[int, str, str]
"""Place in the batch, reason, detail."""


class Keys:
    """Knows which ids of a table were loaded, and those of its parents."""

    def __init__(self, table: Table, parents: dict[str, BitMap]) -> None:
        self._references = [(c.name, parents[c.parent]) for c in table.columns if c.parent]
        self.loaded = BitMap()

    def take(self, columns: dict[str, np.ndarray]) -> list[Rejection]:
        """Marks the ids of a batch as loaded, except those of rejected rows, which are returned.

        Args:
            columns: `id` and every column that refers to a parent, as int32, in file order.
        """
        rejections: dict[int, Rejection] = {}
        for name, parent in self._references:
            values = columns[name]
            strangers = bitmap_of(values) - parent
            if not strangers:
                continue
            for place in _places(values, np.array(strangers.to_array(), np.uint32)):
                rejections.setdefault(place, (place, "orphan", f"{name} {values[place]} is not loaded"))
        ids = columns["id"]
        batch = bitmap_of(ids)
        if len(batch) < len(ids) or not self.loaded.isdisjoint(batch):
            self._find_duplicates(ids, batch, rejections)
        if rejections:
            batch = bitmap_of(np.delete(ids, list(rejections)))
        self.loaded |= batch
        return [rejections[place] for place in sorted(rejections)]

    def _find_duplicates(self, ids: np.ndarray, batch: BitMap, rejections: dict[int, Rejection]) -> None:
        """A repeated id is a duplicate only of a loaded row: an orphan leaves its id to the next."""
        seen = batch & self.loaded
        values, counts = np.unique(ids, return_counts=True)
        suspects = np.union1d(values[counts > 1], np.array(seen.to_array(), np.uint32))
        for place in _places(ids, suspects):
            value = int(ids[place])
            if value in seen:
                rejections[place] = (place, "duplicate", f"id {value} was loaded from an earlier line")
            elif place not in rejections:
                seen.add(value)


def _places(values: np.ndarray, wanted: np.ndarray) -> list[int]:
    """Where wanted values stand."""
    return [int(place) for place in np.flatnonzero(np.isin(values, wanted))]


def bitmap_of(values: np.ndarray) -> BitMap:
    """A bitmap of int32 values. Through array.array: pyroaring reads its buffer, but goes through NumPy one by one."""
    return BitMap(array("I", values.astype(np.uint32, copy=False).tobytes()))
