"""Cuts the texts of a column into tokens, all at once: a table of bytes separates ASCII.

A token is what is between ASCII separators; a sign that may join words is inside where it has neighbours. Folding
tokens gives the words that folding the whole text gives: a separator combines with no neighbour, and the one lower case
that depends on neighbours, the last sigma of a word, is folded away.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

_IS_CHAR = np.zeros(256, bool)
"""Bytes of words. Those beyond ASCII count: only a distinct token is folded."""
_IS_CHAR[128:] = True
_IS_CHAR[list(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")] = True
_IS_SIGN = np.zeros(256, bool)
_IS_SIGN[list(b"'`./-")] = True


class Tokens(NamedTuple):
    """Distinct tokens, and for each occurrence which one it is and the row of its text."""

    distinct: list[str]
    which: np.ndarray
    rows: np.ndarray


def tokens_of(texts: pa.Array) -> Tokens:
    """Cuts each text; null counts as empty."""
    bounds, data = bytes_of(texts)
    is_bound = np.zeros(len(data) + 1, bool)
    is_bound[bounds] = True
    is_inside = np.zeros(len(data) + 2, bool)
    _IS_CHAR.take(data, out=is_inside[1:-1])
    signs = np.flatnonzero(_IS_SIGN.take(data))
    joins = is_inside[signs] & is_inside[signs + 2] & ~is_bound[signs] & ~is_bound[signs + 1]
    is_inside[signs[joins] + 1] = True
    begins = np.flatnonzero(is_inside[1:-1] & (~is_inside[:-2] | is_bound[:-1]))
    ends = np.flatnonzero(is_inside[1:-1] & (~is_inside[2:] | is_bound[1:])) + 1
    offsets = np.zeros(len(begins) + 1, np.int32)
    np.cumsum(ends - begins, out=offsets[1:])
    letters = data[is_inside[1:-1]]
    tokens = pa.Array.from_buffers(pa.string(), len(begins), [None, pa.py_buffer(offsets), pa.py_buffer(letters)])
    encoded = tokens.dictionary_encode()
    counts = np.diff(np.searchsorted(begins, bounds))
    rows = np.repeat(np.arange(len(texts), dtype=np.int32), counts)
    return Tokens(encoded.dictionary.to_pylist(), np.asarray(encoded.indices), rows)


def bytes_of(texts: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """The beginning of each text, the end of the last one, and the bytes of all."""
    if not len(texts):
        return np.zeros(1, np.int32), np.empty(0, np.uint8)
    _, offsets, data = texts.buffers()
    bounds = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    if data is None:
        return bounds - bounds[0], np.empty(0, np.uint8)
    return bounds - bounds[0], np.frombuffer(data, np.uint8)[bounds[0] : bounds[-1]]
