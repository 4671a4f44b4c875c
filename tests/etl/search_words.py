"""The words of a text as search has them, for oracles: without code of the loader or the server."""

import unicodedata
from functools import cache
from itertools import pairwise

_CJK = [(0x3005, 0x3007), (0x3040, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF)]
_CJK += [(0xF900, 0xFAFF), (0x20000, 0x3FFFF)]
_PLAIN = {"ß": "ss", "ς": "σ", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"}  # noqa: RUF001


@cache
def folded(text: str) -> str:
    text = _unaccented(_unaccented(text).lower())
    return "".join(_PLAIN.get(char, char) for char in unicodedata.normalize("NFC", text))


def _unaccented(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if unicodedata.category(char) != "Mn" or char in "\u3099\u309a")


def is_cjk(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in _CJK)


def runs_of(text: str) -> list[str]:
    """Folded, each either of CJK only or without."""
    runs = [""]
    for char in folded(text):
        if unicodedata.category(char)[0] not in "LNM":
            runs.append("")
        elif runs[-1] and is_cjk(runs[-1][-1]) != is_cjk(char):
            runs.append(char)
        else:
            runs[-1] += char
    return [run if is_cjk(run[0]) else run[:64] for run in runs if run]


@cache
def words_of(text: str) -> frozenset[str]:
    words: set[str] = set()
    for run in runs_of(text):
        words |= {*run, *map("".join, pairwise(run))} if is_cjk(run[0]) else {run}
    return frozenset(words)
