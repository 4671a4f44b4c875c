"""The correct answers of a search, by the contract and without code of the engine: each word looks at all others.

Reads {"products": […], "queries": […]} as JSON, products as in tests/helpers/search-products.js, and writes answers.
It knows words as written, their forms and other ways to write them, prefixes, typos, little and dropped words, and the
filters category and in_stock.

Where the contract leaves a choice: the fewest typos that find a word count; a word of 4 letters that no product has may
lack one; no word is dropped where only the filters leave no product; `as` has the word, words that begin with it, other
forms and ways to write it, near words and words that begin with those, each by products.
"""

import json
import sys
import unicodedata
from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from query_words import MOST_WORDS, English, Unit, thinned, units_of
from search_words import folded, is_number, is_unspaced, words_of

_ENOUGH = 24
_MOST_TERMS = 50


class Term(NamedTuple):
    """Words of the catalog: the word itself, those that begin with it, its other forms."""

    text: str
    begun: frozenset[str]
    forms: frozenset[str]


class Near(NamedTuple):
    words: frozenset[str] = frozenset()
    begun: frozenset[str] = frozenset()
    typos: int = 0


class Word(NamedTuple):
    """The meaning of a word of a query: all terms as written, or all of one of the other ways."""

    text: str
    written: list[Term]
    others: list[list[Term]]
    halves: list[list[Term]]
    near: Near

    @property
    def wide(self) -> "Word":
        """It may also be two words."""
        return self._replace(others=self.others + self.halves, halves=[])


@cache
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
        self.language = English()
        self.products = {product["id"]: product for product in products}
        self.having: dict[tuple[str, str], set[int]] = defaultdict(set)
        """Ids of the products with a word, by class (n, m or a) and word."""
        for product in products:
            for where, words in _classes(product).items():
                for word in words:
                    self.having[where, word].add(product["id"])
        self.counts = Counter({word: len(ids) for (where, word), ids in self.having.items() if where == "a"})
        self._by_stem: dict[str, set[str]] = defaultdict(set)
        for word in self.counts:
            self._by_stem[self.language.stem(word)].add(word)

    def term(self, text: str, *, is_prefix: bool = False) -> Term:
        begun = {word for word in self.counts if is_prefix and word.startswith(text)}
        forms = self._by_stem.get(self.language.stem(text), set()) - {text}
        return Term(text, frozenset(begun), frozenset(forms))

    def word(self, unit: Unit, neighbours: list[Unit] | None = None, *, is_last: bool = False) -> Word:
        """`neighbours`: the text of one and of the unit, in this order or the other, may be a word."""
        is_prefix = is_last and not is_unspaced(unit.text)
        last = len(unit.parts) - 1
        apart = [self.term(part, is_prefix=is_prefix and at == last) for at, part in enumerate(unit.parts)]
        written = apart if unit.whole is None else [self.term(unit.whole, is_prefix=is_prefix)]
        others = [apart] if unit.whole is not None and apart else []
        beside = [(one, two) for one, two in pairwise(neighbours or []) if unit in (one, two)]
        joins = [self.term(one.text + two.text) for one, two in beside if one.is_plain and two.is_plain]
        others += [[join] for join in joins if self._is_known(join)]
        cuts = range(3, len(unit.text) - 2) if unit.is_plain else []
        pairs = [[self.term(unit.text[:at]), self.term(unit.text[at:])] for at in cuts]
        halves = [[one, two] for one, two in pairs if one.text in self.counts and self._is_known(two)]
        known = any(all(map(self._is_known, terms)) for terms in [written, *others, *halves])
        near = Near() if known or len(written) > 1 else self._near(written[0].text, is_prefix=is_prefix)
        return Word(unit.text, written, others, halves, near)

    def _is_known(self, term: Term) -> bool:
        return term.text in self.counts or bool(term.begun or term.forms)

    def _near(self, typed: str, *, is_prefix: bool) -> Near:
        has_digit = any(unicodedata.category(letter)[0] == "N" for letter in typed)
        has_typos = len(typed) >= 4 and not is_unspaced(typed) and not has_digit
        for typos in range(1, 1 + has_typos + (has_typos and len(typed) >= 9)):
            near, begun = set(), set()
            for word in self.counts:
                if word[0] != typed[0]:
                    continue
                far = [d if max(at, len(typed)) >= 5 else 99 for at, d in enumerate(distances(word, typed))]
                if far[-1] <= typos:
                    near.add(word)
                elif is_prefix and len(typed) >= 6 and min(far) <= typos:
                    begun.add(word)
            if near | begun:
                return Near(frozenset(near), frozenset(begun), typos)
        return Near()

    def matching(self, word: Word, where: str, *, prefix: bool, forms: bool, typos: bool) -> set[int]:
        """Ids of the products that have all terms of one way to write the word."""
        found: set[int] = set()
        for way in [word.written, *(word.others if forms else [])]:
            ids = set(self.products)
            for term in way:
                words = {term.text} | (term.begun if prefix else set()) | (term.forms if forms else set())
                if typos and term is word.written[0]:
                    words |= word.near.words | (word.near.begun if prefix else set())
                ids &= set().union(*(self.having.get((where, each), set()) for each in words))
            found |= ids
        return found

    def tiers(self, words: list[Word], *, typos: bool) -> list[set[int]]:
        """From the best; a product counts in its first one."""
        return [
            set(self.products).intersection(
                *(self.matching(word, where, prefix=prefix, forms=forms, typos=with_typos) for word in words)
            )
            for with_typos in ([False, True] if typos else [False])
            for where, prefix in (("n", False), ("n", True), ("m", True), ("a", True))
            for forms in (False, True)
        ]

    def kept(self, words: list[Word], passing: set[int]) -> tuple[list[Word], list[str], bool]:
        """The words that count, those that were dropped, and whether typos count."""
        exact = self._in_any_text(words, typos=False)
        if len(passing.intersection(*exact)) >= _ENOUGH:
            return words, [], False
        wide = [word.wide for word in words]
        near = self._in_any_text(wide, typos=True)
        for some in ([wide[at] if len(ids) < _ENOUGH else words[at] for at, ids in enumerate(exact)], wide):
            if passing.intersection(*self._in_any_text(some, typos=True)):
                return some, [], any(word.near.typos for word in words)
        order = sorted(range(len(words)), key=lambda at: (len(near[at]), not is_number(words[at].text), -at))
        left, worthy = passing, set()
        for at in order:
            if left & near[at]:
                left = left & near[at]
                worthy.add(at)
        if not worthy and len(passing) < len(self.products):
            return self.kept(words, set(self.products))
        ignored = [word.text for at, word in enumerate(words) if at not in worthy]
        some = [word for at, word in enumerate(words) if at in worthy]
        again, _, typos = self.kept(some, passing) if some else ([], [], False)
        return again, ignored, typos

    def _in_any_text(self, words: list[Word], *, typos: bool) -> list[set[int]]:
        return [self.matching(word, "a", prefix=True, forms=True, typos=typos) for word in words]

    def answer(self, query: dict[str, Any]) -> dict[str, Any]:
        tokens = query["q"].split()
        units, excluded = (
            units_of(" ".join(token for token in tokens if token.startswith("-") == is_out)) for is_out in (False, True)
        )
        deciding = [unit for unit in units if not self.language.is_little(unit)] or units
        read = thinned(deciding)
        beyond = [unit.text for unit in read[MOST_WORDS:]]
        read = read[:MOST_WORDS]
        words = [
            self.word(unit, read[max(0, at - 1) : at + 2], is_last=unit is read[-1]) for at, unit in enumerate(read)
        ]
        passing = self._passing(query, thinned(excluded)[:MOST_WORDS])
        kept, dropped, typos = self.kept(words, passing) if words else ([], [], False)
        is_signs = not units and not excluded and bool(tokens)
        signs = [folded(query["q"]).strip()] if is_signs else []
        tiers = self.tiers(kept, typos=typos) if kept or not (words or is_signs) else []
        little = [] if deciding == units else [unit for unit in units if self.language.is_little(unit)]
        helping = [self.matching(self.word(u), "a", prefix=False, forms=False, typos=False) for u in little]
        places = {id: tier for tier, ids in reversed(list(enumerate(tiers))) for id in ids}
        found = [
            (places[id], -sum(id in ids for ids in helping), not _in_stock(self.products[id]), id)
            for id in passing & places.keys()
        ]
        by_relevance = query["sort"] == "relevance" or (query["sort"] is None and units)
        found.sort(key=lambda each: each if by_relevance else each[3:])
        first = (query["page"] - 1) * query["count"]
        return {
            "total": len(found),
            "ids": [each[-1] for each in found[first : first + query["count"]]],
            "words": [self._report(word, typos=typos) for word in kept],
            "optional": [unit.text for unit in little],
            "ignored": [*dropped, *beyond, *signs],
        }

    def _passing(self, query: dict[str, Any], excluded: list[Unit]) -> set[int]:
        categories = query["filters"].get("category")
        ids = {
            id
            for id, product in self.products.items()
            if (categories is None or product["category"] in categories)
            and (_in_stock(product) or not query["inStock"])
        }
        out = [self.matching(self.word(unit), "a", prefix=False, forms=True, typos=False) for unit in excluded]
        return ids.difference(*out)

    def _report(self, word: Word, *, typos: bool) -> dict[str, Any]:
        others = {form for term in word.written for form in term.forms}
        others |= {each for terms in word.others for term in terms for each in (term.text, *term.forms)}
        parts = [*([term.text] for term in word.written), *(term.begun for term in word.written), others]
        parts += [word.near.words, word.near.begun] if typos else []
        ordered = [each for part in parts for each in sorted(part, key=lambda w: (-self.counts[w], w.encode()))]
        known = dict.fromkeys(each for each in ordered if each in self.counts)
        named = list(known)[:_MOST_TERMS]
        return {"word": word.text, "as": named, "shown": named, "typos": typos * word.near.typos}


def _classes(product: dict[str, Any]) -> dict[str, frozenset[str]]:
    """The words of the name; of name, category, features and styles; of all texts."""
    named = [product["category"], *(style["name"] for style in product["styles"])]
    named += [feature["value"] for feature in product["features"] if feature["value"] is not None]
    name = words_of(product["name"])
    some = name.union(*map(words_of, named))
    return {"n": name, "m": some, "a": some | words_of(product["slogan"]) | words_of(product["description"])}


def _in_stock(product: dict[str, Any]) -> bool:
    return any(sku["quantity"] > 0 for style in product["styles"] for sku in style["skus"])


def main() -> None:
    given = json.load(sys.stdin)
    catalog = Catalog(given["products"])
    json.dump([catalog.answer(query) for query in given["queries"]], sys.stdout)


if __name__ == "__main__":
    main()
