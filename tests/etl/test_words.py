"""Loader and server fold and cut texts in the same way: fixtures are for both, and an oracle is for the loader."""

import json
import random
import unicodedata
from itertools import pairwise

import pyarrow as pa
import pytest
import search_words
from fold_digests import FIXTURE, digests
from support import ROOT

from etl.search.tokens import tokens_of
from etl.search.words import fold, indexed_words, written_words

_CUTS = json.loads((ROOT / "tests/helpers/cuts.json").read_text())
_ALPHABET = [*"aAbZz019'`./-_ ,<&\u0301\u00ad\u200b\u00ab²½™®º’‐–×ßİΣςéñK", *"کةـًשָक्षीสีำ\u0eb3服装が\u3099ﾃﾞ한ᄒ𠀀🧵"]  # noqa: RUF001
_OF_SIGNS = [*"aB1'./-", "'s", "\u00ad", "\u200b", "½", "服"]


def test_each_code_point_is_folded_as_the_fixture_says() -> None:
    known = json.loads(FIXTURE.read_text())
    if unicodedata.unidata_version != "14.0.0":
        pytest.skip(f"NOT TESTED: this Python has Unicode {unicodedata.unidata_version}")
    assert digests() == known


@pytest.mark.parametrize(("text", "words"), _CUTS)
def test_a_text_is_found_by_its_folded_words(text: str, words: list[str]) -> None:
    assert list(dict.fromkeys(indexed_words(text))) == words
    assert search_words.words_of(text) == set(words)
    assert all(fold(word) == word for word in words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{'x' * 100}日本 {'y' * 63}本", {"x" * 64, "日", "本", "日本", "y" * 63}),
        (f"{'x' * 63}12", {f"{'x' * 63}1", "x" * 63, "1"}),
        (f"{'1' * 32}/{'2' * 32}-x", {"1" * 32, "2" * 32, "x"}),
        (f"{'x' * 40}-{'y' * 40}'s", {"x" * 40, "y" * 40, f"{'y' * 40}s", "x" * 40 + "y" * 24}),
    ],
)
def test_of_a_long_word_64_characters_count(text: str, words: set[str]) -> None:
    assert set(indexed_words(text)) == search_words.words_of(text) == words


def test_a_run_without_spaces_is_found_however_long_it_is() -> None:
    run = "".join(chr(0x4E00 + at) for at in range(300))
    assert list(indexed_words(run)) == [*run, *map("".join, pairwise(run))]


@pytest.mark.parametrize("alphabet", [_ALPHABET, _OF_SIGNS], ids=["many scripts", "signs"])
def test_texts_cut_at_separators_first_have_the_words_of_the_whole(alphabet: list[str]) -> None:
    chosen = random.Random(50)
    texts = ["".join(chosen.choices(alphabet, k=chosen.randrange(12))) for _ in range(5000)]
    tokens = tokens_of(pa.array(texts))
    found: list[set[str]] = [set() for _ in texts]
    for which, row in zip(tokens.which, tokens.rows, strict=True):
        found[row].update(indexed_words(tokens.distinct[which]))
    wanted = [(text, set(indexed_words(text))) for text in texts]
    assert list(zip(texts, found, strict=True)) == wanted
    assert [(text, search_words.words_of(text)) for text in texts] == wanted


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("Gore™", [("gore", "Gore™")]),
        ("(Möbel)", [("mobel", "Möbel")]),
        ("Möbel-Set,", [("mobelset", "Möbel-Set"), ("mobel", "Möbel"), ("set", "Set")]),
        ("Rot/Grün", [("rotgrun", "Rot/Grün"), ("rot", "Rot"), ("grun", "Grün")]),
        ("Men's", [("mens", "Men's")]),
        ("9-12", []),
        ("-", []),
        ("服装", []),
    ],
)
def test_words_are_shown_as_texts_write_them_and_what_hyphens_join_too(
    token: str, words: list[tuple[str, str]]
) -> None:
    assert [found for found in written_words(token) if found[0] != found[1]] == words
