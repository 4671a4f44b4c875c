"""The correct answers of a search, by the contract and without code of the engine: each query looks at each product.

Reads {"products": […], "queries": […]} as JSON, products as in tests/helpers/search-products.js, and writes answers.
It knows exact words, prefixes, typos, dropped words, and the filters category and in_stock.

Where the contract leaves a choice: the fewest typos that find a word count; a word of 4 letters that no product has may
lack one; of equally many words the later ones are dropped, and none where the filters leave no product with any; `as`
has the word, words that begin with it, near words and words that begin with those, each by products.
"""

import json
import sys
import unicodedata
from collections import Counter
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from search_words import is_cjk, runs_of, words_of

_ENOUGH = 24
_MOST_TERMS = 50


class Document(NamedTuple):
    id: int
    category: str
    in_stock: bool
    words: dict[str, frozenset[str]]
    """By class: name; name, category, features and styles; all texts."""


class Terms(NamedTuple):
    """The words of the catalog that a word of a query stands for."""

    exact: set[str]
    begun: set[str]
    near: set[str]
    near_begun: set[str]
    typos: int

    def meant(self, *, prefix: bool, typos: bool) -> set[str]:
        found = self.exact | (self.begun if prefix else set())
        return found | (self.near | (self.near_begun if prefix else set()) if typos else set())


def _document(product: dict[str, Any]) -> Document:
    styles = product["styles"]
    named = [product["category"], *(style["name"] for style in styles)]
    named += [feature["value"] for feature in product["features"] if feature["value"] is not None]
    name = words_of(product["name"])
    some = name.union(*map(words_of, named))
    words = {"n": name, "m": some, "a": some | words_of(product["slogan"]) | words_of(product["description"])}
    in_stock = any(sku["quantity"] > 0 for style in styles for sku in style["skus"])
    return Document(product["id"], product["category"], in_stock, words)


def _query_words(text: str) -> list[str]:
    words: dict[str, None] = {}
    for run in runs_of(text):
        words |= dict.fromkeys(map("".join, pairwise(run)) if is_cjk(run[0]) and len(run) > 1 else [run])
    return list(words)


def distances(word: str, typed: str) -> list[int]:
    """Letters too many, too few, other or swapped with their neighbour, from each beginning of `word` to `typed`."""
    rows = [list(range(len(typed) + 1))]
    for i, letter in enumerate(word, 1):
        row = [i]
        for j, other in enumerate(typed, 1):
            least = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != other))
            if i > 1 and j > 1 and word[i - 2] == other and letter == typed[j - 2]:
                least = min(least, rows[-2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return [row[-1] for row in rows]


class Catalog:
    def __init__(self, products: list[dict[str, Any]]) -> None:
        self.documents = [_document(product) for product in products]
        self._terms: dict[tuple[str, bool], Terms] = {}

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(word for document in self.documents for word in document.words["a"])

    def terms(self, typed: str, *, is_last: bool) -> Terms:
        key = (typed, is_last and not is_cjk(typed[0]))
        if key not in self._terms:
            self._terms[key] = self._find(*key)
        return self._terms[key]

    def _find(self, typed: str, is_prefix: bool) -> Terms:
        exact = {word for word in self.counts if word == typed}
        begun = {word for word in self.counts if is_prefix and word.startswith(typed)}
        others = self.counts.keys() - exact - begun
        has_digit = any(unicodedata.category(letter)[0] == "N" for letter in typed)
        has_typos = len(typed) >= (5 if exact | begun else 4) and not is_cjk(typed[0]) and not has_digit
        for typos in range(1, 1 + has_typos + (has_typos and len(typed) >= 9)):
            near, near_begun = set(), set()
            for word in others:
                far = [d if max(at, len(typed)) >= 5 else 99 for at, d in enumerate(distances(word, typed))]
                if far[-1] <= typos:
                    near.add(word)
                elif is_prefix and min(far) <= typos:
                    near_begun.add(word)
            if near | near_begun:
                return Terms(exact, begun, near, near_begun, typos)
        return Terms(exact, begun, set(), set(), 0)

    def answer(self, query: dict[str, Any]) -> dict[str, Any]:
        tokens = query["q"].split()
        typed = _query_words(" ".join(token for token in tokens if not token.startswith("-")))
        excluded = set(_query_words(" ".join(token for token in tokens if token.startswith("-"))))
        words = {word: self.terms(word, is_last=word == typed[-1]) for word in typed}
        categories = query["filters"].get("category")
        passing = [
            document
            for document in self.documents
            if excluded.isdisjoint(document.words["a"])
            and (categories is None or document.category in categories)
            and (document.in_stock or not query["inStock"])
        ]
        kept, with_typos = _kept(words, passing) or _kept(words, self.documents) or ({}, False)
        tiers = [(_tier(kept, document, with_typos), document) for document in passing] if kept or not words else []
        found = [(tier, not document.in_stock, document.id) for tier, document in tiers if tier]
        by_relevance = query["sort"] == "relevance" or (query["sort"] is None and words)
        found.sort(key=lambda each: each if by_relevance else each[2:])
        first = (query["page"] - 1) * query["count"]
        return {
            "total": len(found),
            "ids": [product for _, _, product in found[first : first + query["count"]]],
            "words": [self._report(word, terms, with_typos) for word, terms in kept.items()],
            "ignored": [word for word in typed if word not in kept],
        }

    def _report(self, word: str, terms: Terms, with_typos: bool) -> dict[str, Any]:
        parts = [terms.exact, terms.begun, *([terms.near, terms.near_begun] if with_typos else [])]
        ordered = [each for part in parts for each in sorted(part, key=lambda w: (-self.counts[w], w.encode()))]
        return {"word": word, "as": list(dict.fromkeys(ordered))[:_MOST_TERMS], "typos": with_typos * terms.typos}


def _has(terms: Terms, document: Document, where: str = "a", *, prefix: bool = True, typos: bool) -> bool:
    return not terms.meant(prefix=prefix, typos=typos).isdisjoint(document.words[where])


def _tier(words: dict[str, Terms], document: Document, with_typos: bool) -> int:
    """From 1, the best; 0: it does not have all words."""
    tiers = [
        (where, prefix, typos)
        for typos in (False, True)[: 1 + with_typos]
        for where, prefix in (("n", False), ("n", True), ("m", True), ("a", True))
    ]
    for tier, (where, prefix, typos) in enumerate(tiers, 1):
        if all(_has(terms, document, where, prefix=prefix, typos=typos) for terms in words.values()):
            return tier
    return 0


def _kept(words: dict[str, Terms], passing: list[Document]) -> tuple[dict[str, Terms], bool] | None:
    """The words that count, and whether typos do; None: no product has one of them."""
    exact = [document for document in passing if all(_has(t, document, typos=False) for t in words.values())]
    if len(exact) >= _ENOUGH or not words:
        return words, False
    has = {document.id: [word for word, t in words.items() if _has(t, document, typos=True)] for document in passing}
    most = max(map(len, has.values()), default=0)
    if most == len(words):
        return words, any(terms.typos for terms in words.values())
    if most == 0:
        return None
    # Later words are dropped rather than earlier ones: the first list of places is the one to keep.
    order = list(words)
    best = min([order.index(word) for word in some] for some in has.values() if len(some) == most)
    return _kept({order[at]: words[order[at]] for at in best}, passing)


def main() -> None:
    given = json.load(sys.stdin)
    catalog = Catalog(given["products"])
    json.dump([catalog.answer(query) for query in given["queries"]], sys.stdout)


if __name__ == "__main__":
    main()
