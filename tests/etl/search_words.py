"""The words of a text as search has them, for oracles: without code of the loader or the server.

Those list code points. Here the names of characters decide where that is possible.
"""

import unicodedata
from functools import cache
from itertools import groupby, pairwise

_UNSPACED = [(0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x3007), (0x3040, 0x30FF), (0x31F0, 0x31FF)]
_UNSPACED += [(0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)]
_APOSTROPHES = "'`\u00b4\u02b9\u02bb\u02bc\u0374\u05f3\u2018\u2019\u201b\u2032\u2033\u2034\u2057"
_HYPHENS = "-\u2010\u2011\u2012\u2013\u2014\u2015\u208b\u2212\ufe31\ufe32\ufe58"
_DROPPED = "©®℠™\u200b"
_LETTERS = {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ـ": ""}
_LETTERS |= dict(zip("ςøłđıðħŧŋʼ⁄کیىٱة", "σoldidhtn'/كيياه", strict=True))  # noqa: RUF001
_MARKS = ("COMBINING ", "HEBREW ", "ARABIC ", "VARIATION SELECTOR-", "MONGOLIAN FREE VARIATION SELECTOR ")
_OTHER_MARKS = ("KATAKANA", "DEVANAGARI", "OLD PERMIC", "BINDU", "GRANTHA", "GREEK MUSICAL", "GLAGOLITIC")
_MOST_WORD = 64


@cache
def folded(text: str) -> str:
    text = unicodedata.normalize("NFKD", "".join(map(_plain, text)))
    text = unicodedata.normalize("NFKD", "".join(char.lower() for char in text if not _is_accent(char)))
    text = unicodedata.normalize("NFC", "".join(char for char in text if not _is_accent(char)))
    return "".join(_LETTERS.get(char, char) for char in text)


def _plain(char: str) -> str:
    """The rest of a character whose decomposition would glue or hide something."""
    name = unicodedata.name(char, "")
    is_superscript = name.startswith("SUPERSCRIPT ") and "LETTER" not in name
    if is_superscript or char in _DROPPED:
        return " "
    if name.startswith(("VULGAR FRACTION ", "FRACTION ")) and char != "⁄":  # noqa: RUF001
        return f" {char} "
    if unicodedata.category(char) == "Cf":
        return ""
    if char in _APOSTROPHES and char not in "'`":
        return "'"
    return "-" if char in _HYPHENS else char


@cache
def _is_accent(char: str) -> bool:
    name = unicodedata.name(char, "")
    is_mark = unicodedata.category(char) in ("Mn", "Me") and name.startswith(_MARKS)
    return is_mark and not name.startswith(_OTHER_MARKS, len("COMBINING "))


def is_unspaced(word: str) -> bool:
    """Nothing separates it from the next word."""
    return any(first <= ord(char) <= last for char in word[:1] for first, last in _UNSPACED)


def is_number(text: str) -> bool:
    return all(unicodedata.category(char)[0] == "N" for char in text)


def _is_spaced(char: str) -> bool:
    return char != "" and unicodedata.category(char)[0] in "LNM" and not is_unspaced(char)


def tokens_of(text: str) -> list[str]:
    """Folded: each is a run without spaces, or a word of another script with the signs inside it."""
    chars = folded(text)
    tokens = [""]
    for at, char in enumerate(chars):
        before, after = chars[at - 1 : at], chars[at + 1 : at + 2]
        is_feet = char in "'`" and before.isdecimal() and after.isdecimal()
        is_sign = char in "'`./-" and _is_spaced(before) and _is_spaced(after) and not is_feet
        if unicodedata.category(char)[0] not in "LNM" and not is_sign:
            tokens.append("")
        elif tokens[-1] and is_unspaced(tokens[-1]) != is_unspaced(char):
            tokens.append(char)
        else:
            tokens[-1] += char
    return [token for token in tokens if token]


def split(token: str, signs: str) -> list[str]:
    return "".join(" " if char in signs else char for char in token).split()


def joined(token: str) -> str:
    return "".join(split(token, "'`./-"))[:_MOST_WORD]


def letters_and_digits(word: str) -> list[str]:
    return ["".join(part) for _, part in groupby(word[:_MOST_WORD], is_number)]


@cache
def words_of(text: str) -> frozenset[str]:
    return frozenset().union(*map(_words_of_token, tokens_of(text)))


@cache
def _words_of_token(token: str) -> set[str]:
    if is_unspaced(token):
        return {*token, *map("".join, pairwise(token))}
    pieces = split(token, "./-")
    found = [part for piece in pieces for part in split(piece, "'`") if len(part) > 1]
    found += [joined(piece) for piece in pieces]
    words = {part for word in found for part in [word[:_MOST_WORD], *letters_and_digits(word)]}
    return words if len(pieces) == 1 or is_number(joined(token)) else words | {joined(token)}
