"""Each product has the card that its rows make; the expected ones are made here from the CSV files, without SQL."""

import csv
import json
import random
import re
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from reading import PHOTOS, PRODUCT, SKUS, STYLES
from support import Catalog, Database, load

Row = dict[str, str]
LETTERS = ["XS", "S", "M", "L", "XL", "XXL"]
csv.field_size_limit(1 << 20)
TOO_LONG = "9" * 140_000
"""More digits than a numeric can have."""
SIZES = [
    *LETTERS,
    "m",
    "XXXL",
    "7",
    "7.0",
    "07",
    "7.5",
    "10",
    "10.5",
    "100",
    ".5",
    "7.",
    "-1",
    "1e3",
    "\u0667",
    "One Size",
]
SIZES += [
    "",
    " M",
    "M ",
    'a"b\\',
    "é",
    "Ж",
    "日本",
    "🧵",
    "<b>",
    "Zebra",
    "zebra",
    "7,5",
    "[",
    "8\n9",
    "9" * 21,
    "9" * 20,
]
NAMES = [
    "Plain",
    'Größe "Ω" Café',
    "日本 🧵",
    "デニム",
    "<b>&amp;</b>",
    "back\\slash",
    "tab\there",
    "two\nlines",
    "\u2028\x7f\x01",
    "",
]


@dataclass
class Files:
    """The rows of the four files that a card shows."""

    catalog: Catalog
    products: list[list[str]] = field(default_factory=list)
    styles: list[list[str]] = field(default_factory=list)
    photos: list[list[str]] = field(default_factory=list)
    skus: list[list[str]] = field(default_factory=list)

    def product(self, name: str = "A", slogan: str = "a", category: str = "Hats", price: str = "140") -> None:
        self.products.append(
            [str(len(self.products) + 1), _quoted(name), _quoted(slogan), '"d"', _quoted(category), price]
        )

    def style(
        self,
        original: str,
        sale: str = "null",
        default: str = "0",
        photos: tuple[str, ...] = (),
        skus: tuple[tuple[str, int], ...] = (),
    ) -> None:
        """Adds a style to the last product. Ids of photos fall, because photos are in the order of the file."""
        style = str(len(self.styles) + 1)
        self.styles.append([style, self.products[-1][0], '"s"', sale, original, default])
        for thumbnail in photos:
            written = thumbnail if thumbnail == "null" else _quoted(thumbnail)
            self.photos.append([str(9_000_000 - len(self.photos)), style, '"u"', written])
        for size, quantity in skus:
            self.skus.append([str(len(self.skus) + 1), style, _quoted(size), str(quantity)])

    def write(self) -> None:
        for file, header, rows in (
            ("product.csv", PRODUCT, self.products),
            ("styles.csv", STYLES, self.styles),
            ("photos.csv", PHOTOS, self.photos),
            ("skus.csv", SKUS, self.skus),
        ):
            self.catalog.write(file, header + "".join(f"{','.join(row)}\n" for row in rows))
        for file in ("features.csv", "related.csv"):
            path = self.catalog.directory / file
            path.write_text(path.read_text().splitlines(keepends=True)[0])


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _rows(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _price(price: str) -> str:
    """At least cents, and never less than it is."""
    whole, _, decimals = price.partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"


def _size_order(size: str) -> tuple[object, ...]:
    if size in LETTERS:
        return 0, LETTERS.index(size)
    if re.fullmatch(r"[0-9]{1,20}(\.[0-9]{1,18})?", size):
        return 1, Decimal(size), size.encode()
    return 2, size.encode()


def expected_cards(directory: Path) -> dict[int, str]:
    """The card of each product of the files, by its id."""
    styles, photos, skus = defaultdict(list), defaultdict(list), defaultdict(list)
    for row in _rows(directory / "styles.csv"):
        styles[row["productId"]].append(row)
    for row in _rows(directory / "photos.csv"):
        if row["thumbnail_url"] != "null":  # the loader rejects it
            photos[row["styleId"]].append(row)
    for row in _rows(directory / "skus.csv"):
        skus[row["styleId"]].append(row)
    return {
        int(row["id"]): _card(row, sorted(styles[row["id"]], key=lambda style: int(style["id"])), photos, skus)
        for row in _rows(directory / "product.csv")
    }


def _card(product: Row, styles: list[Row], photos: dict[str, list[Row]], skus: dict[str, list[Row]]) -> str:
    own, usual = product["default_price"], [style["original_price"] for style in styles]
    shown = [
        original if style["sale_price"] == "null" else style["sale_price"]
        for style, original in zip(styles, usual, strict=True)
    ]
    cheapest = min(range(len(styles)), key=lambda place: Decimal(shown[place]), default=None)
    default = next((style for style in styles if style["default_style"] == "1"), styles[0] if styles else None)
    pictures = photos[default["id"]] if default else []
    sizes = {sku["size"] for style in styles for sku in skus[style["id"]] if int(sku["quantity"]) > 0}
    card = {
        "id": int(product["id"]),
        "name": product["name"],
        "slogan": product["slogan"],
        "category": product["category"],
        "default_price": _price(own),
        "offer": {
            "price": _price(own if cheapest is None else shown[cheapest]),
            "max_price": _price(max(shown, key=Decimal, default=own)),
            "original_price": _price(own if cheapest is None else usual[cheapest]),
            "on_sale": any(
                style["sale_price"] != "null" and Decimal(style["sale_price"]) < Decimal(style["original_price"])
                for style in styles
            ),
            "in_stock": bool(sizes),
            "sizes": sorted(sizes, key=_size_order),
            "styles": len(styles),
            "thumbnail_url": pictures[0]["thumbnail_url"] if pictures else None,
        },
    }
    return json.dumps(card, ensure_ascii=False, separators=(",", ":"))


def stored_cards(database: Database) -> dict[object, object]:
    return dict(database.query("SELECT id, head || ',\"offer\":' || offer || '}' FROM catalog.cards"))


def _offers(database: Database, catalog: Catalog, files: Files) -> list[dict[str, object]]:
    """The offers of the files, in the order of the products, each compared with the expected one."""
    files.write()
    done = load(database, catalog, "--max-reject", 50)
    assert done.status == 0, done.last_line
    stored = stored_cards(database)
    assert stored == expected_cards(catalog.directory)
    return [json.loads(str(stored[place]))["offer"] for place in sorted(map(int, map(str, stored)))]


def test_a_card_has_the_bytes_of_the_contract(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog).status == 0
    assert stored_cards(database) == {
        1: '{"id":1,"name":"A","slogan":"a","category":"Hats","default_price":"140.00","offer":{"price":"100.00",'
        '"max_price":"140.00","original_price":"140.00","on_sale":true,"in_stock":true,"sizes":["M","One Size"],'
        '"styles":2,"thumbnail_url":"t2"}}',
        2: '{"id":2,"name":"B","slogan":"b","category":"Hats","default_price":"49.50","offer":{"price":"49.50",'
        '"max_price":"49.50","original_price":"49.50","on_sale":false,"in_stock":false,"sizes":[],'
        '"styles":1,"thumbnail_url":null}}',
        3: '{"id":3,"name":"C","slogan":"c","category":"Hats","default_price":"19.999","offer":{"price":"19.999",'
        '"max_price":"19.999","original_price":"19.999","on_sale":false,"in_stock":false,"sizes":[],'
        '"styles":0,"thumbnail_url":null}}',
    }
    assert stored_cards(database) == expected_cards(catalog.directory)


def test_the_price_is_the_lowest_that_a_style_is_sold_for(database: Database, catalog: Catalog) -> None:
    files = Files(catalog)
    for styles in (
        [("50", "0")],
        [("50", "60")],
        [("50", "50")],
        [("50", "null"), ("40", "60")],
        [("90", "40"), ("80", "40.00"), ("40", "null")],
        [("80", "40"), ("90", "40")],
        [("0", "0"), ("500000000", "499999999.99"), ("19.999", "0.1")],
        [("10.5", "9.125")],
    ):
        files.product(price="7")
        for original, sale in styles:
            files.style(original, sale)
    shown = ("price", "max_price", "original_price", "on_sale")
    assert [tuple(offer[key] for key in shown) for offer in _offers(database, catalog, files)] == [
        ("0.00", "0.00", "50.00", True),  # a sale price of 0 is a price
        ("60.00", "60.00", "50.00", False),  # what the other replies show, too
        ("50.00", "50.00", "50.00", False),
        ("50.00", "60.00", "50.00", False),
        ("40.00", "40.00", "90.00", True),  # the first style with that price
        ("40.00", "40.00", "80.00", True),
        ("0.00", "499999999.99", "0.00", True),
        ("9.125", "9.125", "10.50", True),
    ]
    different = "SELECT id FROM catalog.cards WHERE price <> (offer::json->>'price')::numeric"
    assert database.query(different) == []


def test_sizes_in_stock_are_listed_once_in_their_order(database: Database, catalog: Catalog) -> None:
    files = Files(catalog)
    for styles in (
        [["XXL 1", "L 1", "XS 1"], ["S 1", "L 1"]],
        [["M 0", "S 0"]],
        [["M 0", "S 1"], ["M 2147483647"]],
        [["10 1", "7.5 1", "7 1", "07 1", "7.0 1", "100 1"]],
        [["One Size 1", "9 1", "M 1", "m 1", "XXXL 1", "-1 1", ".5 1"]],
        [[f"{TOO_LONG} 1", "8 1", "A 1"]],
        [[]],
    ):
        files.product()
        for skus in styles:
            pairs = [sku.rsplit(" ", 1) for sku in skus]
            files.style("1", skus=tuple((size, int(quantity)) for size, quantity in pairs))
    found = [(offer["in_stock"], offer["sizes"]) for offer in _offers(database, catalog, files)]
    assert found == [
        (True, ["XS", "S", "L", "XXL"]),
        (False, []),
        (True, ["S", "M"]),
        (True, ["07", "7", "7.0", "7.5", "10", "100"]),
        (True, ["M", "9", "-1", ".5", "One Size", "XXXL", "m"]),
        (True, ["8", TOO_LONG, "A"]),
        (False, []),
    ]


def test_the_thumbnail_is_the_first_photo_of_the_default_style(database: Database, catalog: Catalog) -> None:
    files = Files(catalog)
    for styles in (
        [("0", ("a", "b")), ("1", ("c", "d")), ("1", ("e",))],
        [("0", ("a", "b")), ("0", ("c",))],
        [("0", ("a",)), ("1", ())],
        [("0", ()), ("0", ("c",))],
        [("1", ("null", "b"))],
        [("1", ("", "b"))],
        [("1", ('"<\\é日',))],
        [],
    ):
        files.product()
        for default, photos in styles:
            files.style("1", default=default, photos=photos)
    thumbnails = [offer["thumbnail_url"] for offer in _offers(database, catalog, files)]
    assert thumbnails == ["c", "a", None, None, "b", "", '"<\\é日', None]


def test_random_products_have_the_expected_cards(database: Database, catalog: Catalog) -> None:
    rng = random.Random(37)
    files = Files(catalog)
    prices = ["0", "0.5", "1", "1.0", "19.999", "20", "20.00", "140", "99999999999999999999.999999999999999999"]
    for _ in range(500):
        files.product(rng.choice(NAMES), rng.choice(NAMES), rng.choice(NAMES), rng.choice(prices))
        for _ in range(rng.choice([0, 1, 1, 2, 3, 6])):
            sizes = rng.choices(rng.choice([LETTERS, SIZES]), k=rng.randint(0, 7))
            files.style(
                rng.choice(prices),
                rng.choice(["null", rng.choice(prices)]),
                rng.choice("0001"),
                tuple(rng.choices(["null", "", "t", "https://t/1?w=3&q=8"], k=rng.randint(0, 3))),
                tuple((size, rng.choice([0, 0, 1, 60])) for size in sizes),
            )
    rng.shuffle(files.styles)
    offers = _offers(database, catalog, files)
    assert {offer["on_sale"] for offer in offers} == {offer["in_stock"] for offer in offers} == {True, False}
