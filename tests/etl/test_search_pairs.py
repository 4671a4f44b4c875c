"""Pairs keep their order, rows and levels, however many terms a chunk has."""

import numpy as np
import pyarrow as pa
import pytest

from etl.search import pairs
from etl.search.pairs import Pairs, split
from etl.search.sets import Sets
from etl.search.tokens import tokens_of


@pytest.mark.parametrize("first", [0, (1 << 18) - 2, 1 << 30], ids=["32 bits", "at their end", "64 bits"])
def test_a_pair_is_kept_once_with_its_lowest_level(first: int) -> None:
    collected = Pairs()
    collected.add(np.array([first + 3, first, first + 3]), np.array([4095, 7, 4095]), 2)
    collected.add(np.array([first + 3]), np.array([4095]), 1)
    collected.add(np.array([0]), np.array([0]))
    numbers, places = split(collected.take())
    assert numbers.tolist() == [0, first, first + 3] if first else [0, 0, 3]
    assert places.tolist() == [0, 7 << 2 | 2, 4095 << 2 | 1]
    assert len(collected.take()) == 0


def test_occurrences_that_wait_are_sorted_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "_MOST_PENDING", 10)
    collected = Pairs()
    for _ in range(50):
        collected.add(np.array([1, 2]), np.array([3, 4]), 1)
    assert sum(map(len, collected._parts)) <= 12
    assert split(collected.take())[0].tolist() == [1, 2]


def test_the_parts_of_a_chunk_are_merged_into_one_set_a_term(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("etl.search.sets._PAIRS_AT_ONCE", 2)
    sets = Sets(3, 9)
    for first in (0, 4096):
        collected = Pairs()
        collected.add(np.array([0, 1, 1]), np.array([5, 5, 6]), 1)
        collected.add(np.array([1]), np.array([5]))
        sets.add(collected.take(), first)
    rows = [row for batch in sets.batches(pa.array(["a", "b"]), ["n:", "m:"]) for row in batch.to_pylist()]
    found = {row["key"]: np.frombuffer(row["bits"], "<u2").tolist() for row in rows}
    assert found == {"m:a": [5, 4101], "n:b": [5, 4101], "m:b": [5, 6, 4101, 4102]}
    assert {(row["chunk"], row["load_id"], row["rows"] * 2) for row in rows} == {(3, 9, 4), (3, 9, 8)}


def test_tokens_end_at_separators_and_at_the_ends_of_texts() -> None:
    texts = pa.array(["skipped", "Ab", "cD-é9", None, "", "--", "-ab'", "c--d e.", "/f"]).slice(1)
    tokens = tokens_of(texts)
    found = [(int(row), tokens.distinct[at]) for row, at in zip(tokens.rows, tokens.which, strict=True)]
    assert found == [(0, "Ab"), (1, "cD-é9"), (5, "ab"), (6, "c"), (6, "d"), (6, "e"), (7, "f")]
    assert tokens_of(texts.slice(0, 0)).distinct == []
