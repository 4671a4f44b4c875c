"""Numbers the terms of one chunk (words, prefixes, values) in the order in which they appear."""

from array import array
from collections import Counter

import numpy as np
import pyarrow as pa

from etl.search.pairs import distinct, renumbered, split
from etl.search.tokens import tokens_of
from etl.search.words import indexed_words, is_unspaced, written_words

_PREFIX_LENGTHS = (3, 2, 1)
"""In code points."""
_NONE = -1


class Terms:
    """Numbers from 0 for texts."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    def texts(self) -> pa.Array:
        """The texts by number."""
        return pa.array(list(self._numbers), pa.string())


class Words:
    """The words of texts and their prefixes."""

    def __init__(self) -> None:
        self.words = Terms()
        self.prefixes = Terms()
        self._tokens: dict[str, tuple[int, ...]] = {}
        """The words of each token."""
        self._occurrences: Counter[str] = Counter()
        """By token."""
        self._longest_prefix = array("i")
        """By word. A word of a run without spaces has none."""
        self._shorter_prefix = array("i")
        self._prefix_length = array("i")
        """Both by prefix."""

    def of(self, texts: pa.Array) -> tuple[np.ndarray, np.ndarray]:
        """The number of the word and the row, for each word of each text."""
        tokens = tokens_of(texts)
        found = [self._words_of(token) for token in tokens.distinct]
        self._occurrences.update(dict(zip(tokens.distinct, np.bincount(tokens.which).tolist(), strict=True)))
        counts = np.fromiter(map(len, found), np.int64, len(found))
        flat = np.fromiter((number for numbers in found for number in numbers), np.int32, int(counts.sum()))
        if (counts == 1).all():
            return flat.take(tokens.which), tokens.rows
        begins = np.cumsum(counts) - counts
        repeats = counts[tokens.which]
        return flat[spans(begins[tokens.which], repeats)], np.repeat(tokens.rows, repeats)

    def prefix_pairs(self, word_pairs: np.ndarray) -> list[np.ndarray]:
        """The pairs of prefixes, by length: the shorter ones come from the longer ones, which are fewer than words."""
        longest, shorter = np.array(self._longest_prefix), np.array(self._shorter_prefix)
        lengths = np.append(np.array(self._prefix_length), 0)  # the last for _NONE
        longest_length = lengths[longest[split(word_pairs)[0]]]
        found: list[np.ndarray] = []
        for length in _PREFIX_LENGTHS:
            whole = renumbered(word_pairs[longest_length == length], longest)
            found.append(distinct([whole, *(renumbered(pairs, shorter) for pairs in found[-1:])]))
        return found

    def spellings(self) -> dict[tuple[str, str], int]:
        """How often a word is written in a way, by both."""
        counts: Counter[tuple[str, str]] = Counter()
        for token, occurrences in self._occurrences.items():
            for found in written_words(token):
                counts[found] += occurrences
        return counts

    def _words_of(self, token: str) -> tuple[int, ...]:
        numbers = self._tokens.get(token)
        if numbers is None:
            numbers = self._tokens[token] = tuple(self._word(word) for word in indexed_words(token))
        return numbers

    def _word(self, word: str) -> int:
        number = self.words.number(word)
        if number == len(self._longest_prefix):
            self._longest_prefix.append(_NONE if is_unspaced(word) else self._prefix(word[: _PREFIX_LENGTHS[0]]))
        return number

    def _prefix(self, prefix: str) -> int:
        """The number of a prefix; the shorter ones have numbers, too."""
        if not prefix:
            return _NONE
        shorter = self._prefix(prefix[:-1])
        number = self.prefixes.number(prefix)
        if number == len(self._prefix_length):
            self._shorter_prefix.append(shorter)
            self._prefix_length.append(len(prefix))
        return number


def spans(begins: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The indexes begin, begin + 1, … of each span, one span after another."""
    ends = np.cumsum(lengths)
    return np.repeat(begins - ends + lengths, lengths) + np.arange(ends[-1] if len(ends) else 0)
