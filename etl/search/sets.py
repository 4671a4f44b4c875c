"""The sets of one chunk: for each term the positions of its products, as rows of search_sets."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from etl.search.pairs import LEVEL_BITS, split
from etl.search.vocabulary import spans
from etl.tables import SEARCH_CHUNK

_MOST_LISTED = 4096
"""Products of a set that is a list of positions. The bits of a larger one are shorter than its list."""
_PAIRS_AT_ONCE = 1 << 19
SETS = pa.schema(
    [
        ("key", pa.string()),
        ("chunk", pa.int32()),
        ("load_id", pa.int32()),
        ("rows", pa.int32()),
        ("bits", pa.binary()),
    ]
)


class Sets:
    """Collects pairs of a chunk in four bytes each and merges them."""

    def __init__(self, chunk: int, load_id: int) -> None:
        self._chunk = chunk
        self._load_id = load_id
        self._numbers: list[np.ndarray] = []
        self._lengths: list[np.ndarray] = []
        self._places: list[np.ndarray] = []
        """Positions in the chunk with levels in the lowest bits."""

    def add(self, pairs: np.ndarray, first_position: int) -> None:
        """Adds sorted pairs whose row 0 has a position of the chunk. From call to call positions grow."""
        numbers, places = split(pairs)
        begins = _begins(numbers)
        self._numbers.append(numbers[begins])
        self._lengths.append(np.diff(begins, append=len(numbers)))
        self._places.append(places + np.uint32(first_position << LEVEL_BITS))

    def batches(self, texts: pa.Array, classes: list[str]) -> Iterator[pa.RecordBatch]:
        """The sets of all terms, once for each class of texts: its place is the highest level that it counts.

        Can be read once: it frees what it merges.
        """
        numbers, lengths = np.concatenate(self._numbers), np.concatenate(self._lengths)
        places = np.concatenate(self._places)
        self._places.clear()
        order = np.argsort(numbers, kind="stable")
        begins = (np.cumsum(lengths) - lengths)[order]
        numbers, lengths = numbers[order], lengths[order]
        terms = _begins(numbers)
        before = (np.cumsum(lengths) - lengths)[terms]
        for first, end in pairwise([*terms[_begins(before // _PAIRS_AT_ONCE)], len(numbers)]):
            some_places = places[spans(begins[first:end], lengths[first:end])]
            some_positions = (some_places >> np.uint32(LEVEL_BITS)).astype("<u2")
            some_levels = some_places & np.uint32((1 << LEVEL_BITS) - 1)
            of_term = _begins(numbers[first:end])
            some_texts = texts.take(pa.array(numbers[first:end][of_term]))
            sizes = np.add.reduceat(lengths[first:end], of_term)
            for level, name in enumerate(classes):
                keys = pc.binary_join_element_wise(name, some_texts, "")
                if level == len(classes) - 1:  # it counts all
                    yield from self._rows(keys, sizes, some_positions)
                    continue
                counted = some_levels <= level
                some_sizes = np.add.reduceat(counted.astype(np.int32), np.cumsum(sizes) - sizes)
                yield from self._rows(keys, some_sizes, some_positions[counted])

    def _rows(self, keys: pa.Array, sizes: np.ndarray, positions: np.ndarray) -> Iterator[pa.RecordBatch]:
        """Rows of sets whose sorted positions (<u2) follow each other; none for an empty set."""
        is_list = (sizes > 0) & (sizes <= _MOST_LISTED)
        yield self._batch(keys, is_list, sizes, positions[np.repeat(is_list, sizes)], 2 * sizes[is_list])
        is_large = sizes > _MOST_LISTED
        if is_large.any():
            ends = np.cumsum(sizes)
            bits = [_bits(positions[ends[place] - sizes[place] : ends[place]]) for place in np.flatnonzero(is_large)]
            lengths = np.full(len(bits), SEARCH_CHUNK // 8)
            yield self._batch(keys, is_large, sizes, np.concatenate(bits), lengths)

    def _batch(
        self, keys: pa.Array, wanted: np.ndarray, sizes: np.ndarray, content: np.ndarray, lengths: np.ndarray
    ) -> pa.RecordBatch:
        """The wanted sets; `content` has their bits, `lengths` the bytes of each."""
        count = len(lengths)
        offsets = np.zeros(count + 1, np.int32)
        np.cumsum(lengths, out=offsets[1:])
        return pa.record_batch(
            [
                keys.filter(pa.array(wanted)),
                pa.array(np.full(count, self._chunk, np.int32)),
                pa.array(np.full(count, self._load_id, np.int32)),
                pa.array(sizes[wanted].astype(np.int32)),
                pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(content)]),
            ],
            schema=SETS,
        )


def _bits(positions: np.ndarray) -> np.ndarray:
    has = np.zeros(SEARCH_CHUNK, bool)
    has[positions] = True
    return np.packbits(has, bitorder="little")


def _begins(values: np.ndarray) -> np.ndarray:
    """The offsets at which another value begins."""
    is_begin = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=is_begin[1:])
    return np.flatnonzero(is_begin)
