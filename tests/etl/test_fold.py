"""Loader and server fold and cut texts in the same way: the fixture is compared with both."""

import json
import unicodedata
from itertools import pairwise

import pytest
from fold_digests import FIXTURE, digests

from etl.search.fold import fold, indexed_words


def test_each_code_point_is_folded_as_the_fixture_says() -> None:
    known = json.loads(FIXTURE.read_text())
    if unicodedata.unidata_version != "14.0.0":
        pytest.skip(f"NOT TESTED: this Python has Unicode {unicodedata.unidata_version}")
    assert digests() == known


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Größe, JACKÉT & Œuvre", ["grosse", "jacket", "oeuvre"]),
        ("ΟΔΟΣ οδός", ["οδοσ", "οδοσ"]),
        ("it's 7.5in_x", ["it", "s", "7", "5in", "x"]),
        ("デニム", ["デ", "ニ", "ム", "デニ", "ニム"]),
        ("ﾃﾞﾆﾑ", ["デ", "ニ", "ム", "デニ", "ニム"]),
        ("ABC日本12", ["abc", "日", "本", "日本", "12"]),
        (f"{'x' * 100}日本 {'y' * 63}本", ["x" * 64, "日", "本", "日本", "y" * 63, "本"]),
        ("<b>&amp;</b> 🧵", ["b", "amp", "b"]),
        ("", []),
    ],
)
def test_a_text_is_found_by_its_folded_words(text: str, words: list[str]) -> None:
    assert list(indexed_words(text)) == words
    assert all(fold(word) == word for word in words)


def test_cjk_is_found_however_long_it_goes_on_without_a_space() -> None:
    run = "".join(chr(0x4E00 + at) for at in range(300))
    assert list(indexed_words(run)) == [*run, *map("".join, pairwise(run))]
