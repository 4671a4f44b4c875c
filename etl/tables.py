"""The six files, and two more of a part: their columns, what each column may hold, and which rows depend on which.

Imports no package: the parent process reads this too and must stay small.
The columns are also in db/schema, the README, the generator and the benchmark; tests/etl/test_columns.py compares them.
"""

from dataclasses import dataclass, replace
from typing import Literal

from etl.rejects import Reason

Kind = Literal["id", "target", "quantity", "boolean", "price", "text", "field", "ignored"]
FieldType = Literal["text", "number", "boolean", "date", "list"]
MAX_INT = 2_147_483_647
SEARCH_CHUNK = 1 << 16
"""Positions of one row of search_sets (db/schema/005_search.sql)."""
_REASONS: dict[Kind, Reason] = {
    "id": "bad_id",
    "target": "bad_id",
    "quantity": "bad_quantity",
    "boolean": "bad_boolean",
    "price": "bad_price",
    "text": "bad_text",
    "field": "bad_field",
    "ignored": "bad_text",
}


@dataclass(frozen=True)
class Field:
    """A field of a shop's own, as fields.json declares it, with the defaults of db/fields.schema.json."""

    name: str
    type: FieldType
    column: str
    """Its name in the header."""
    separator: str | None
    """Between the texts of a list; None for other types."""
    facet: bool
    search: Literal["name", "attribute", "text"] | None
    card: bool
    sort: bool
    lookup: bool
    invalid: Literal["reject", "drop"]


@dataclass(frozen=True)
class Column:
    """A column of a file. A `target` is an id that may be 0 in the file: such a row is an orphan, not malformed.

    A `field` is declared by the shop, and `ignored` what nothing declares.
    """

    name: str
    kind: Kind
    headers: tuple[str, ...]
    nullable: bool = False
    parent: str | None = None
    field: Field | None = None

    @property
    def is_text(self) -> bool:
        """Quotes make a text of anything in it."""
        return self.kind == "text" or (self.field is not None and self.field.type in ("text", "list"))

    @property
    def is_integer(self) -> bool:
        return self.kind in ("id", "target", "quantity")

    @property
    def minimum(self) -> int:
        return 1 if self.kind == "id" else 0

    @property
    def reason(self) -> Reason:
        """Why a row is rejected when this column cannot be read."""
        return _REASONS[self.kind]


@dataclass(frozen=True)
class Table:
    """A file and its table; `columns` in the canonical order of the file."""

    name: str
    file: str
    columns: tuple[Column, ...]
    keeps_file_order: bool = False

    @property
    def parents(self) -> frozenset[str]:
        return frozenset(column.parent for column in self.columns if column.parent)


def _column(name: str, kind: Kind, *aliases: str, nullable: bool = False, parent: str | None = None) -> Column:
    headers = tuple(normalised(header) for header in (aliases or (name,)))
    return Column(name, kind, headers, nullable, parent)


def normalised(header: str) -> str:
    """A header name without case, spaces and underscores."""
    return header.casefold().replace(" ", "").replace("_", "").replace("\t", "").strip('"')


_ID = _column("id", "id")
_PRODUCT = _column("product_id", "id", "productId", "current_product_id", parent="products")
_STYLE = _column("style_id", "id", "styleId", parent="styles")

TABLES: tuple[Table, ...] = (
    Table(
        "products",
        "product.csv",
        (
            _ID,
            _column("name", "text"),
            _column("slogan", "text"),
            _column("description", "text"),
            _column("category", "text"),
            _column("default_price", "price"),
        ),
    ),
    Table(
        "styles",
        "styles.csv",
        (
            _ID,
            _PRODUCT,
            _column("name", "text"),
            _column("sale_price", "price", nullable=True),
            _column("original_price", "price"),
            _column("is_default", "boolean", "default_style"),
        ),
    ),
    Table(
        "photos",
        "photos.csv",
        (_ID, _STYLE, _column("url", "text"), _column("thumbnail_url", "text")),
        keeps_file_order=True,
    ),
    Table(
        "skus",
        "skus.csv",
        (_ID, _STYLE, _column("size", "text"), _column("quantity", "quantity")),
    ),
    Table(
        "related",
        "related.csv",
        (_ID, _PRODUCT, _column("related_product_id", "target", parent="products")),
        keeps_file_order=True,
    ),
    Table(
        "features",
        "features.csv",
        (_ID, _PRODUCT, _column("feature", "text"), _column("value", "text", nullable=True)),
        keeps_file_order=True,
    ),
)
"""In the order in which they start: first those that others wait for, then the largest."""

PART_TABLES: tuple[Table, ...] = tuple(
    # Only the database knows which products and styles there will be, and it names the line of a row that it refuses.
    replace(table, columns=tuple(replace(column, parent=None) for column in table.columns), keeps_file_order=True)
    for table in (
        *TABLES,
        Table(
            "prices",
            "prices.csv",
            (
                _column("id", "id", "style_id"),
                _column("original_price", "price"),
                _column("sale_price", "price", nullable=True),
            ),
        ),
        Table("quantities", "quantities.csv", (_column("id", "id", "sku_id"), _column("quantity", "quantity"))),
    )
)
"""The files of a part, without references."""
UPDATED = ("products", "styles", "skus", "prices")
"""Tables of a part whose files may have the id and any of the other columns."""

BY_NAME = {table.name: table for table in TABLES}
