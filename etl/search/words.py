"""Folds text and cuts it into words, exactly as server/client/words.js does.

tests/helpers/unicode-14.json has what both make of each code point, tests/helpers/cuts.json cases of words.
"""

import re
import unicodedata
from collections.abc import Iterator

_MOST_WORD = 64
"""Code points of a word that count. A run without spaces is many words: all of it counts."""
_SIGNS = "'`./-"
"""They join letters around them to one word."""
_PLAIN = dict.fromkeys("\u00a9\u00ae\u2120\u2122\u00b2\u00b3\u00b9\u2070\u200b", " ")
"""Signs of brands, superscripts, zero width space: decomposed, they would be letters and digits of the word before."""
_PLAIN |= dict.fromkeys(map(chr, range(0x2074, 0x207F)), " ")
_PLAIN |= {char: f" {char} " for char in map(chr, [*range(0xBC, 0xBF), *range(0x2150, 0x2160), 0x2189])}
_PLAIN |= dict.fromkeys("\u00b4\u02b9\u02bb\u02bc\u0374\u05f3\u2018\u2019\u201b\u2032\u2033\u2034\u2057", "'")
_PLAIN |= dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u208b\u2212\ufe31\ufe32\ufe58", "-")
_MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0898-\u089f\u08ca-\u08e1\u08e3-\u08ff\u180b-\u180d"
    "\u180f\u1ab0-\u1ace\u1dc0-\u1dff\u20d0-\u20f0\u2de0-\u2dff\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef]"
)
"""Marks of Latin, Greek and Cyrillic, Hebrew points, Arabic harakat. Those of other scripts are vowels: they stay."""
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Nothing separates the words of Chinese, Japanese, Korean, Thai, Lao, Khmer and Myanmar."""
_PIECES = re.compile("[-\u2010-\u2015/]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_SPACED = f"[^{_UNSPACED}{re.escape(_SIGNS)} ]+"
_FEET = re.compile(r"(?<=\d)['`](?=\d)")
_TOKEN = re.compile(f"[{_UNSPACED}]+|{_SPACED}(?:[{re.escape(_SIGNS)}]{_SPACED})*")
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
    | dict(zip("ςøłđıðħŧŋʼ", "σoldidhtn'", strict=True))  # noqa: RUF001
    | {"\u0640": "", "\u06a9": "\u0643", "\u06cc": "\u064a", "\u0649": "\u064a", "\u0671": "\u0627", "\u0629": "\u0647"}
)


class _WithoutFormat(dict[int, int | str | None]):
    """For str.translate: removes characters of format, and sets apart what decomposition would glue."""

    def __missing__(self, code: int) -> int | str | None:
        char = chr(code)
        kept = None if unicodedata.category(char) == "Cf" else code
        self[code] = _PLAIN.get(char, kept)
        return self[code]


class _Separated(dict[int, int]):
    """For str.translate: puts a space in place of all but letters, numbers, marks and signs of words."""

    def __missing__(self, code: int) -> int:
        char = chr(code)
        self[code] = code if char in _SIGNS or unicodedata.category(char)[0] in "LNM" else ord(" ")
        return self[code]


class _IsNumber(dict[int, str]):
    """For str.translate: 0 for a number and a for all else."""

    def __missing__(self, code: int) -> str:
        self[code] = "0" if unicodedata.category(chr(code))[0] == "N" else "a"
        return self[code]


_WITHOUT_FORMAT = _WithoutFormat()
_SEPARATED = _Separated()
_IS_NUMBER = _IsNumber()
_CLASSES = re.compile("0+|a+")


def fold(text: str) -> str:
    """Text without case, accents and compatibility forms."""
    text = _decomposed(_decomposed(text.translate(_WITHOUT_FORMAT)).lower()).replace("\u2044", "/")
    return unicodedata.normalize("NFC", text).translate(_LETTERS)


def indexed_words(text: str) -> Iterator[str]:
    """The words under which a text is found, some of them several times."""
    for token in _tokens_of(text):
        if is_unspaced(token):
            yield from token
            yield from (token[at : at + 2] for at in range(len(token) - 1))
        else:
            yield from _words_of(token)


def written_words(token: str) -> Iterator[tuple[str, str]]:
    """The word that a token is, and the token without what stands around it; then each that hyphens or slashes join."""
    pieces = [token] if token.isalnum() else [token, *_PIECES.split(token)]
    for piece in pieces if len(pieces) != 2 else [token]:
        found = _written_word(piece)
        if found:
            yield found


def _written_word(token: str) -> tuple[str, str] | None:
    written = token if token.isalnum() else _trimmed(token)
    found = _tokens_of(written)
    if len(found) != 1 or is_unspaced(found[0]):
        return None
    word = re.sub("['`./-]", "", found[0])[:_MOST_WORD]
    return None if word != found[0] and word.isnumeric() else (word, written)


def _tokens_of(text: str) -> list[str]:
    """Folded. An apostrophe joins no numbers: 5'11"."""
    tokens: list[str] = _TOKEN.findall(_FEET.sub(" ", fold(text)).translate(_SEPARATED))
    return tokens


def _trimmed(token: str) -> str:
    def belongs(char: str) -> bool:
        return char in "\u00ae\u2120\u2122" or unicodedata.category(char)[0] in "LNM"

    places = [place for place, char in enumerate(token) if belongs(char)]
    return token[places[0] : places[-1] + 1] if places else ""


def is_unspaced(word: str) -> bool:
    """A word of a run without spaces has no prefixes."""
    return _IS_UNSPACED.match(word) is not None


def _decomposed(text: str) -> str:
    return _MARKS.sub("", unicodedata.normalize("NFKD", text))


def _words_of(token: str) -> Iterator[str]:
    if token.isalpha():  # by far the most frequent, and sooner known than cut
        yield token[:_MOST_WORD]
        return
    pieces = re.split("[./-]", token)
    for piece in pieces:
        around = re.split("['`]", piece)
        if len(around) > 1:
            yield from _with_parts("".join(around))
            for part in around:
                if len(part) > 1:
                    yield from _with_parts(part)
        else:
            yield from _with_parts(piece)
    whole = re.sub("['`./-]", "", token)[:_MOST_WORD]
    if len(pieces) > 1 and "a" in whole.translate(_IS_NUMBER):
        yield whole


def _with_parts(word: str) -> Iterator[str]:
    """The word, and its letters and numbers apart."""
    word = word[:_MOST_WORD]
    yield word
    classes = word.translate(_IS_NUMBER)
    if "0" in classes and "a" in classes:
        yield from (word[part.start() : part.end()] for part in _CLASSES.finditer(classes))
