"""Reads the products of one chunk, some thousand at a time, and collects the sets that they are in."""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from etl.search.own_fields import OwnFields
from etl.search.pairs import ROWS, Pairs, split
from etl.search.sets import Sets
from etl.search.tokens import bytes_of
from etl.search.vocabulary import Terms, Words, spans
from etl.search.words import fold

_TEXTS = {"name": 0, "category": 1, "slogan": 2, "description": 2}
"""Columns of products with the level of their words."""
_OTHER_TEXTS = 1
"""The level of a feature's value and of a style's name."""
_MOST_VALUE = 200
"""Code points of a value or of a feature's name that has a set: a key must fit into an index."""
_NO_KEY = -1
NAMES = pa.schema([("id", pa.int32()), ("folded", pa.string())])
SPELLINGS = pa.schema([("word", pa.string()), ("written", pa.string()), ("rows", pa.int32())])
FEATURES = pa.schema([("feature", pa.string()), ("rows", pa.int32())])

_MOST_SPREAD = 4
"""Ids for each style up to which a range of styles is read: in most catalogs the styles of products are in sequence."""


class Read(Protocol):
    """Runs db/search/rows_NAME.sql with words filled in."""

    def __call__(self, name: str, **which: str) -> Iterator[pa.RecordBatch]: ...


class Products:
    """`add_all`, then the sets, folded names, written words, and the numbers of products with each feature."""

    def __init__(self, ids: np.ndarray, read: Read, chunk: int, load_id: int, fields: Mapping[str, OwnFields]) -> None:
        self._fields = fields
        self._ids = ids
        self._read = read
        self._words = Words()
        self._values, self._features = Terms(), Terms()
        self._word_pairs, self._value_pairs, self._feature_pairs = Pairs(), Pairs(), Pairs()
        self._word_sets, self._prefix_sets, self._value_sets = (Sets(chunk, load_id) for _ in range(3))
        self._feature_numbers: list[np.ndarray] = []
        self._names: list[tuple[int, str]] = []

    def add_all(self, on_part: Callable[[], None]) -> None:
        """Calls `on_part` before each part of the products."""
        for first in range(0, len(self._ids), ROWS):
            on_part()
            self._read_part(self._ids[first : first + ROWS])
            word_pairs = self._word_pairs.take()
            self._word_sets.add(word_pairs, first)
            for pairs in self._words.prefix_pairs(word_pairs):
                self._prefix_sets.add(pairs, first)
            self._value_sets.add(self._value_pairs.take(), first)
            self._feature_numbers.append(split(self._feature_pairs.take())[0])

    def sets(self) -> Iterator[pa.RecordBatch]:
        """Rows of search_sets."""
        yield from self._word_sets.batches(self._words.words.texts(), ["n:", "m:", "a:"])
        yield from self._prefix_sets.batches(self._words.prefixes.texts(), ["xn:", "xm:", "xa:"])
        yield from self._value_sets.batches(self._values.texts(), ["f:"])

    def names(self) -> pa.RecordBatch:
        """Rows of search_names."""
        ids, folded = zip(*self._names, strict=True) if self._names else ((), ())
        return pa.record_batch([pa.array(ids, pa.int32()), pa.array(folded, pa.string())], schema=NAMES)

    def spellings(self) -> pa.RecordBatch:
        """Rows of search_spellings."""
        counts = self._words.spellings()
        words, written = zip(*counts, strict=True) if counts else ((), ())
        columns = [pa.array(words, pa.string()), pa.array(written, pa.string()), pa.array(counts.values(), pa.int32())]
        return pa.record_batch(columns, schema=SPELLINGS)

    def features(self) -> pa.RecordBatch:
        """Rows of search_features."""
        texts = self._features.texts()
        counts = np.bincount(np.concatenate(self._feature_numbers), minlength=len(texts))
        return pa.record_batch([texts, pa.array(counts.astype(np.int32))], schema=FEATURES)

    def _read_part(self, ids: np.ndarray) -> None:
        first, last = str(ids[0]), str(ids[-1])
        for batch in self._read("products", first=first, last=last):
            rows = np.searchsorted(ids, batch.column("id").to_numpy()).astype(np.int32)
            for column, level in _TEXTS.items():
                numbers, at = self._words.of(batch.column(column))
                self._word_pairs.add(numbers, rows[at], level)
            values = batch.column("category").dictionary_encode()
            categories = self._value_numbers("category", values.dictionary)
            self._add_values(categories[np.asarray(values.indices)], rows)
            self._fold_names(batch.column("id"), batch.column("name"))
        for batch in self._read("features", first=first, last=last):
            rows, counts = _products_of(batch, ids)
            self._add_words(batch.column("value"), rows, counts)
            self._add_features(batch, rows, counts)
        styles: list[tuple[np.ndarray, np.ndarray]] = []
        for batch in self._read("styles", first=first, last=last):
            rows, counts = _products_of(batch, ids)
            self._add_words(batch.column("name"), rows, counts)
            self._add_flag("on_sale", rows[np.repeat(np.asarray(batch.column("on_sale")), counts)])
            styles.append((_ids_of(batch.column("ids"))[0], rows))
        for table in ("products", "styles"):
            names = self._fields[table].names
            for batch in self._read(f"{table}_fields", first=first, last=last, names=names) if names else ():
                self._add_fields(table, batch, *_products_of(batch, ids))
        style_ids = np.concatenate([np.empty(0, np.int32), *(ids for ids, _ in styles)])
        if len(style_ids):
            order = np.argsort(style_ids)
            self._read_skus(style_ids[order], np.concatenate([rows for _, rows in styles])[order])

    def _read_skus(self, style_ids: np.ndarray, style_rows: np.ndarray) -> None:
        """Reads the skus of sorted styles, whose products have these places."""
        first, last = int(style_ids[0]), int(style_ids[-1])
        is_range = last - first < _MOST_SPREAD * len(style_ids)
        styles = f"BETWEEN {first} AND {last}" if is_range else f"IN ({','.join(map(str, style_ids))})"
        for batch in self._read("skus", styles=styles):
            found, counts = _ids_of(batch.column("style_ids"))
            at = np.searchsorted(style_ids, found)
            is_ours = style_ids[at] == found
            rows = style_rows[at][is_ours]
            in_stock = np.repeat(np.asarray(batch.column("in_stock")), counts)[is_ours]
            sizes = np.repeat(self._value_numbers("size", batch.column("size")), counts)[is_ours]
            self._add_values(sizes, rows)
            sizes_in_stock = np.repeat(self._value_numbers("stock.size", batch.column("size")), counts)[is_ours]
            self._add_values(sizes_in_stock[in_stock], rows[in_stock])
            self._add_flag("in_stock", rows[in_stock])
        names = self._fields["skus"].names
        for batch in self._read("skus_fields", styles=styles, names=names) if names else ():
            found, counts = _ids_of(batch.column("style_ids"))
            at = np.searchsorted(style_ids, found)
            is_ours = style_ids[at] == found
            own_counts = np.bincount(np.repeat(np.arange(len(counts)), counts)[is_ours], minlength=len(counts))
            self._add_fields("skus", batch, style_rows[at][is_ours], own_counts)

    def _add_words(
        self,
        texts: pa.Array,
        rows: np.ndarray,
        counts: np.ndarray,
        level: int = _OTHER_TEXTS,
        own: np.ndarray | None = None,
    ) -> None:
        """Adds the words of texts, each of which several products have. `own`: the row of each text."""
        numbers, at = self._words.of(texts)
        if own is not None:
            at = own[at]
        begins = np.cumsum(counts) - counts
        repeats = counts[at]
        self._word_pairs.add(np.repeat(numbers, repeats), rows[spans(begins[at], repeats)], level)

    def _add_fields(self, table: str, batch: pa.RecordBatch, rows: np.ndarray, counts: np.ndarray) -> None:
        words, values = self._fields[table].texts(batch)
        for level, found in words.items():
            self._add_words(pa.array(found.texts, pa.string()), rows, counts, level, np.array(found.rows, np.int64))
        numbers = [self._values.number(key) if _has_key(key.partition("=")[2]) else _NO_KEY for key in values.texts]
        own = np.array(values.rows, np.int64)
        begins, repeats = (np.cumsum(counts) - counts)[own], counts[own]
        self._add_values(np.repeat(np.array(numbers, np.int64), repeats), rows[spans(begins, repeats)])

    def _value_numbers(self, name: str, values: pa.Array) -> np.ndarray:
        numbers = [self._values.number(f"{name}={v}") if _has_key(v) else _NO_KEY for v in values.to_pylist()]
        return np.array(numbers, np.int64)

    def _add_values(self, numbers: np.ndarray, rows: np.ndarray) -> None:
        has_key = numbers != _NO_KEY
        self._value_pairs.add(numbers[has_key], rows[has_key])

    def _add_features(self, batch: pa.RecordBatch, rows: np.ndarray, counts: np.ndarray) -> None:
        numbers, features = [], []
        for feature, value in zip(batch.column("feature").to_pylist(), batch.column("value").to_pylist(), strict=True):
            has_key = _has_key(feature, value)
            escaped = feature.replace("%", "%25").replace("=", "%3D")
            numbers.append(self._values.number(f"feature.{escaped}={value}") if has_key else _NO_KEY)
            features.append(self._features.number(feature) if has_key else _NO_KEY)
        self._add_values(np.repeat(np.array(numbers, np.int64), counts), rows)
        of_rows = np.repeat(np.array(features, np.int64), counts)
        self._feature_pairs.add(of_rows[of_rows != _NO_KEY], rows[of_rows != _NO_KEY])

    def _add_flag(self, name: str, rows: np.ndarray) -> None:
        if len(rows):  # a flag without products has no set
            flagged = np.unique(rows)
            self._value_pairs.add(np.full(len(flagged), self._values.number(name)), flagged)

    def _fold_names(self, ids: pa.Array, names: pa.Array) -> None:
        """Keeps the folded names that SQL cannot make."""
        beyond = pc.invert(pc.string_is_ascii(names))
        folded = [fold(name) for name in names.filter(beyond).to_pylist()]
        self._names += zip(ids.filter(beyond).to_pylist(), folded, strict=True)


def _has_key(*texts: str) -> bool:
    return all(len(text) <= _MOST_VALUE for text in texts)


def _products_of(batch: pa.RecordBatch, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places in `ids` of the products of all rows, one row after another, and how many each row has."""
    found, counts = _ids_of(batch.column("product_ids"))
    return np.searchsorted(ids, found).astype(np.int32), counts


def _ids_of(lists: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """The ids of all lists, one list after another, and how many each list has."""
    bounds, data = bytes_of(lists)
    return data.view(">i4").astype(np.int32), np.diff(bounds) // 4
