"""Folds text and cuts it into words, exactly as server/search/text/words.js does.

tests/helpers/unicode-14.json has what both make of each code point.
"""

import re
import unicodedata
from collections.abc import Iterator

_MOST_WORD = 64
"""Code points of a word that count. A run of CJK is many words: all of it counts."""
_VOICED_MARKS = "\u3099\u309a"
"""They make another letter of a kana, unlike an accent."""
_CJK = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_IS_CJK = re.compile(f"[{_CJK}]")
_PARTS = re.compile(f"[{_CJK}]+|[^{_CJK}]+")
_LETTERS = str.maketrans({"ß": "ss", "ς": "σ", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})  # noqa: RUF001


class _Unaccented(dict[int, int | None]):
    """For str.translate: removes accents."""

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        is_accent = unicodedata.category(char) == "Mn" and char not in _VOICED_MARKS
        self[code] = None if is_accent else code
        return self[code]


class _Separated(dict[int, int]):
    """For str.translate: puts a space in place of all but letters, numbers and marks."""

    def __missing__(self, code: int) -> int:
        self[code] = code if unicodedata.category(chr(code))[0] in "LNM" else ord(" ")
        return self[code]


_UNACCENTED = _Unaccented()
_SEPARATED = _Separated()


def fold(text: str) -> str:
    """Text without case, accents and compatibility forms."""
    text = unicodedata.normalize("NFKD", text).translate(_UNACCENTED).lower()
    text = unicodedata.normalize("NFKD", text).translate(_UNACCENTED)
    return unicodedata.normalize("NFC", text).translate(_LETTERS)


def indexed_words(text: str) -> Iterator[str]:
    """The words under which a text is found: of a CJK run each character and each pair of neighbours."""
    for run in runs_of(text):
        if is_cjk(run):
            yield from run
            yield from (run[at : at + 2] for at in range(len(run) - 1))
        else:
            yield run


def runs_of(text: str) -> list[str]:
    """Runs of letters, numbers and marks, divided where CJK begins or ends."""
    runs = fold(text).translate(_SEPARATED).split()
    return [part if is_cjk(part) else part[:_MOST_WORD] for run in runs for part in _PARTS.findall(run)]


def is_cjk(word: str) -> bool:
    """A word of a CJK run has no prefixes."""
    return _IS_CJK.match(word) is not None
