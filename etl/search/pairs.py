"""Pairs of a term and a row as sorted integers: the number of the term, the row, and in the lowest bits a level.

The level is that of the text with the term: 0 for a name, 1 for other texts that name a product, 2 for the rest. A pair
keeps its lowest.
"""

import numpy as np

_ROW_BITS, LEVEL_BITS = 12, 2
_LOW_BITS = _ROW_BITS + LEVEL_BITS
ROWS = 1 << _ROW_BITS
"""Rows whose pairs are sorted at once: few enough for the processor's cache."""
_MOST_PENDING = 1 << 20
"""Occurrences that wait to be sorted. Long texts have many, and repeat their words."""


class Pairs:
    """Collects the pairs of ROWS rows."""

    def __init__(self) -> None:
        self._parts: list[np.ndarray] = []
        self._pending = 0

    def add(self, numbers: np.ndarray, rows: np.ndarray, level: int = 0) -> None:
        """Adds the terms of rows, repeated ones too."""
        self._parts.append(_joined(numbers, (rows << LEVEL_BITS) | level))
        self._pending += len(numbers)
        if self._pending > _MOST_PENDING:
            self._parts = [self.take()]

    def take(self) -> np.ndarray:
        """The distinct pairs, sorted. It is empty afterwards."""
        parts, self._parts, self._pending = self._parts, [], 0
        return distinct(parts)


def distinct(parts: list[np.ndarray]) -> np.ndarray:
    """All pairs, sorted, each once with its lowest level."""
    keys = np.concatenate([np.empty(0, np.uint32), *parts])
    keys.sort()
    pairs = keys >> keys.dtype.type(LEVEL_BITS)
    is_first = np.ones(len(keys), bool)
    np.not_equal(pairs[1:], pairs[:-1], out=is_first[1:])
    return keys[is_first]


def renumbered(keys: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The same rows and levels with another number for each number."""
    kind = keys.dtype.type
    return _joined(numbers[keys >> kind(_LOW_BITS)], keys & kind((1 << _LOW_BITS) - 1))


def split(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of pairs, and their rows with the levels in the lowest bits."""
    kind = keys.dtype.type
    low = keys & kind((1 << _LOW_BITS) - 1)
    return (keys >> kind(_LOW_BITS)).astype(np.int64), low.astype(np.uint32)


def _joined(numbers: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Integers of 32 bits where they suffice: sorting takes half the time."""
    kind = np.dtype(np.uint32 if int(numbers.max(initial=0)) < 1 << (32 - _LOW_BITS) else np.uint64)
    keys: np.ndarray = numbers.astype(kind)
    keys <<= kind.type(_LOW_BITS)
    keys |= low.astype(kind)
    return keys
