"""The words of a query, for the oracle of searches: without code of the engine.

Irregular forms and little words are data that both have. The stemmer is another implementation of the same algorithm.
"""

import json
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from search_words import is_number, is_unspaced, joined, letters_and_digits, split, tokens_of
from snowballstemmer import stemmer

MOST_WORDS = 10
_LANGUAGES = Path(__file__).resolve().parents[2] / "server/search/text/languages.json"


class English:
    """Stems and little words."""

    def __init__(self) -> None:
        data = json.loads(_LANGUAGES.read_text())["en"]
        self._stemmer = stemmer(data["snowball"])
        self._little = set(" ".join(data["little"]).split())
        groups = [group.split() for group in data["forms"]]
        self._irregular = {form: self._stemmer.stemWord(group[0]) for group in groups for form in group}
        self._irregular |= {form: group.split()[0] for group in data["apart"] for form in group.split()}

    def is_little(self, unit: "Unit") -> bool:
        return unit.whole in self._little

    def stem(self, word: str) -> str:
        if any(unicodedata.category(char)[0] not in "LM" for char in word):
            return word
        return self._irregular.get(word) or str(self._stemmer.stemWord(word))


class Unit(NamedTuple):
    """A word of a query. `whole` is None where only its parts are words."""

    text: str
    whole: str | None
    parts: tuple[str, ...]

    @property
    def is_plain(self) -> bool:
        """It may be joined with its neighbours, or cut."""
        return not self.parts and not is_unspaced(self.text) and not is_number(self.text)


def units_of(text: str) -> list[Unit]:
    """Each once."""
    return list(dict.fromkeys(unit for token in tokens_of(text) for unit in _units_of_token(token)))


def _units_of_token(token: str) -> list[Unit]:
    if is_unspaced(token):
        pairs = list(map("".join, pairwise(token))) or [token]
        return [Unit(pair, pair, ()) for pair in pairs]
    parts: list[str] = []
    for piece in split(token, "./-"):
        around = split(piece, "'`")
        for part in [part for part in around if len(part) > 1] or around:
            parts += letters_and_digits(part)
    whole = joined(token)
    if parts == [whole]:
        return [Unit(token, whole, ())]
    return [Unit(token, None if is_number(whole) else whole, tuple(parts))]


def thinned(units: list[Unit]) -> list[Unit]:
    """Leaves out pairs that overlap others, evenly, until there are few enough words."""
    left = units
    pairs = [unit for unit in units if is_unspaced(unit.text) and len(unit.text) > 1]
    for step in range(2, MOST_WORDS + 1):
        if len(left) <= MOST_WORDS:
            break
        left = [unit for unit in units if unit not in pairs or pairs.index(unit) % step == 0]
    return left
