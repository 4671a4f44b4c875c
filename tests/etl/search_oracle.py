"""The tables that the step `search` must make of a catalog, without code of the loader, and those it made."""

import csv
import json
import re
import struct
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import psycopg
from search_fields import Declared, declared_in, scale
from search_words import folded, is_unspaced, words_of
from support import Database

_CHUNK = 65_536
_NULL = "\\N"
"""Python's csv reads a bare null as it reads a quoted one, which is a text."""
_BARE_NULL = re.compile(r"(?<=,)null(?=[,\r\n]|$)")
_FIRST_FACETS = ["category", "size", "stock.size", "on_sale", "in_stock"]


class Product(NamedTuple):
    """A product with the rows of the other files that belong to it."""

    row: dict[str, str]
    styles: list[dict[str, str]]
    features: list[dict[str, str]]
    skus: list[dict[str, str]]

    def texts(self, field: Declared) -> list[str]:
        tables = {"products": [self.row], "styles": self.styles, "skus": self.skus}
        return field.texts(tables[field.table])

    @property
    def price(self) -> Decimal:
        prices = [Decimal(s["original_price"] if s["sale_price"] == _NULL else s["sale_price"]) for s in self.styles]
        return min(prices, default=Decimal(self.row["default_price"]))


class Expected(NamedTuple):
    """`sets` has the positions of each key; a blob of JSON or text is decoded."""

    sets: dict[str, set[int]]
    orders: dict[str, list[int]]
    prices: str
    words: str
    facets: object
    language: str
    scales: dict[str, tuple[list[int], str]]


def read_products(directory: Path) -> list[Product]:
    """The products in the order of their ids, from files without line ends inside quotes."""

    def rows(file: str) -> list[dict[str, str]]:
        with (directory / file).open(encoding="utf-8", newline="") as lines:
            return list(
                csv.DictReader((_BARE_NULL.sub(lambda _: _NULL, line) for line in lines), skipinitialspace=True)
            )

    styles, features, skus = defaultdict(list), defaultdict(list), defaultdict(list)
    for row in rows("styles.csv"):
        styles[row["productId"]].append(row)
    for row in rows("features.csv"):
        features[row["product_id"]].append(row)
    for row in rows("skus.csv"):
        skus[row["styleId"]].append(row)
    products = sorted(rows("product.csv"), key=lambda row: int(row["id"]))
    return [
        Product(
            row,
            styles[row["id"]],
            features[row["id"]],
            [sku for style in styles[row["id"]] for sku in skus[style["id"]]],
        )
        for row in products
    ]


def expected(products: list[Product], language: str = "en", directory: Path | None = None) -> Expected:
    declared = declared_in(directory) if directory else []
    sets: dict[str, set[int]] = defaultdict(set)
    feature_products: Counter[str] = Counter()
    for position, product in enumerate(products):
        for key in _keys(product, declared):
            sets[key].add(position)
        feature_products.update({f"feature.{f['feature']}" for f in product.features if _has_key(f)})
    count = len(products)
    ids = [int(product.row["id"]) for product in products]
    by_price = sorted(range(count), key=lambda at: (products[at].price, at))
    by_name = sorted(range(count), key=lambda at: (*_names(products[at].row["name"]), at))
    return Expected(
        dict(sets),
        {"ids": ids, "price_order": by_price, "name_order": by_name},
        _prices([products[at].price for at in by_price]),
        _words(sets),
        _facets(sets, feature_products),
        language,
        {
            field.name: scale([{field.key(text) for text in product.texts(field)} for product in products])
            for field in declared
            if field.has_scale
        },
    )


def _names(name: str) -> tuple[bytes, bytes]:
    return folded(name).encode(), name.encode()


def _has_key(feature: dict[str, str]) -> bool:
    return feature["value"] != _NULL and max(len(feature["feature"]), len(feature["value"])) <= 200


def _keys(product: Product, declared: list[Declared]) -> set[str]:
    row = product.row

    def own(search: str) -> list[str]:
        return [text for f in declared if f.members.get("search") == search for text in product.texts(f)]

    naming = [row["category"], *(s["name"] for s in product.styles)]
    naming += [f["value"] for f in product.features if f["value"] != _NULL]
    texts = {"n": [row["name"], *own("name")]}
    texts["m"] = [*texts["n"], *naming, *own("attribute")]
    texts["a"] = [*texts["m"], row["slogan"], row["description"], *own("text")]
    keys = set()
    for name, some in texts.items():
        for word in set().union(*map(words_of, some)):
            keys.add(f"{name}:{word}")
            if not is_unspaced(word):
                keys |= {f"x{name}:{word[:length]}" for length in (1, 2, 3)}
    keys |= {f"f:category={row['category']}"} if len(row["category"]) <= 200 else set()
    for field in filter(lambda each: each.has_sets, declared):
        keys |= {f"f:field.{field.name}={text}" for text in product.texts(field) if len(text) <= 200}
    for feature in filter(_has_key, product.features):
        escaped = feature["feature"].replace("%", "%25").replace("=", "%3D")
        keys.add(f"f:feature.{escaped}={feature['value']}")
    for sku in product.skus:
        has_key, in_stock = len(sku["size"]) <= 200, int(sku["quantity"]) > 0
        keys |= {f"f:size={sku['size']}"} if has_key else set()
        keys |= {f"f:stock.size={sku['size']}"} if has_key and in_stock else set()
        keys |= {"f:in_stock"} if in_stock else set()
    on_sale = [
        s["sale_price"] != _NULL and Decimal(s["sale_price"]) < Decimal(s["original_price"]) for s in product.styles
    ]
    return keys | ({"f:on_sale"} if any(on_sale) else set())


def _prices(prices: list[Decimal]) -> str:
    """In the order of prices."""
    lines = []
    for place, price in enumerate(prices):
        if place and price == prices[place - 1]:
            continue
        digits = max(2, -int(price.normalize().as_tuple().exponent))
        lines.append(f"{price:.{digits}f}\t{place}\n")
    return "".join(lines)


def _words(sets: dict[str, set[int]]) -> str:
    words = sorted((key[2:] for key in sets if key.startswith("a:")), key=str.encode)
    counts = ["\t".join(str(len(sets.get(f"{c}:{word}", ()))) for c in "nma") for word in words]
    return "".join(f"{word}\t{count}\n" for word, count in zip(words, counts, strict=True))


def _facets(sets: dict[str, set[int]], feature_products: Counter[str]) -> object:
    facets: dict[str, list[tuple[str, int]]] = {name: [] for name in _FIRST_FACETS}
    for key, positions in sets.items():
        if key.startswith("f:"):
            name, is_valued, value = key[2:].partition("=")
            name = name.replace("%3D", "=").replace("%25", "%")
            facets.setdefault(name, []).append((value if is_valued else "true", len(positions)))
    own = sorted(name for name in facets if name.startswith("field."))
    features = sorted(facets.keys() - {*_FIRST_FACETS, *own}, key=lambda name: (-feature_products[name], name.encode()))
    listed = [
        [
            name,
            sorted(facets[name], key=lambda counted: (-counted[1], counted[0].encode())),
            *([feature_products[name]] if name in features else []),
        ]
        for name in [*_FIRST_FACETS, *own, *features]
    ]
    return json.loads(json.dumps(listed))


def read_search(database: Database, schema: str = "catalog") -> Expected:
    """The stored tables, decoded as db/schema/005_search.sql says."""
    sets: dict[str, set[int]] = {}
    with psycopg.connect(database.superuser) as connection:
        for key, chunk, rows, bits in connection.execute(f"SELECT key, chunk, rows, bits FROM {schema}.search_sets"):
            positions = _positions(rows, bits)
            assert len(positions) == rows > 0
            sets.setdefault(key, set()).update(chunk * _CHUNK + position for position in positions)
        blobs = dict(connection.execute(f"SELECT name, body FROM {schema}.search_blobs").fetchall())

    def order(name: str) -> list[int]:
        return list(struct.unpack(f">{len(blobs[name]) // 4}i", blobs.pop(name)))

    orders = {name: order(name) for name in ("ids", "price_order", "name_order")}
    scales = {
        name.removeprefix("order.field."): (order(name), blobs.pop(name.replace("order", "values", 1)).decode())
        for name in [name for name in blobs if name.startswith("order.field.")]
    }
    assert blobs.keys() - {"fields"} == {"prices", "words", "facets", "language", "spellings"}
    prices, words, language = (blobs[name].decode() for name in ("prices", "words", "language"))
    return Expected(sets, orders, prices, words, json.loads(blobs["facets"]), language, scales)


def _positions(rows: int, bits: bytes) -> list[int]:
    if rows > 4096:
        assert len(bits) == _CHUNK // 8
        return [at for at in range(_CHUNK) if bits[at >> 3] & 1 << (at & 7)]
    positions = list(struct.unpack(f"<{rows}H", bits))
    assert positions == sorted(set(positions))
    return positions
