"""A row is read the same on each path, beside any rows, and wherever a block or its file ends."""

import random
from dataclasses import astuple
from pathlib import Path

import pytest
from reading import FEATURES, PHOTOS, SKUS, STYLES, read
from support import Catalog

from etl.rows import clean
from etl.rows.blocks import BLOCK_BYTES, BlockReader
from etl.rows.careful import CarefulBlock
from etl.rows.fast import _SLICE_BYTES
from etl.rows.layout import Layout, field_column
from etl.rows.records import Run
from etl.tables import TABLES, Column, Field, FieldType, Table

_WRITTEN = {
    "id": ["7", '"7"', '"7"0', " 7", "7 ", '" 7"', "007", "-7", "7.5", "0x0010", "0xF4240", '"0"xF4240', "0x7FFFFFFF",
           "\ufeff7", "", "null", "\\N", '""', '"null"', "NaN"],
    "price": ["7", "7.50", '"7"', '"7"0', " 7", "$7", '"default_price": 49', "0x10", '""', "", "null", "NULL", "-7",
              "\\N", '"null"', '"\\N"', " \\N", "None"],
    "boolean": ["0", "1", '"1"', " 1", "01", "true", "2", "", "null"],
    "text": [
        '"text"', "bare", '"X"L', '"X" L', '"X" ', ' "X"', " bare", '""', "", "null", "NULL", '"null"', "\\N", '"\\N"',
        "\\N ", '"\\N"x', "C:\\New", '"a,,b"', '"é"',
        '"say ""x"""', '30" wide', 'a""b', '"a"b"c"', '"open', ' "open', 'closed"', '"two\nlines"',
        '"two\nlines" 30"', '"two\n\nlines"', '"two\r\nlines"', '"CR\r"', '"CR"\r', '"CR"\rX', "\rX",
        '"NUL\0"', '"a","b"', '"a', "\ufeff",
    ],
    "field number": ["7", "-7.50", '"7.50"', "007", "-0", "0.0", " 7", "1e3", "$7", "7.", "", '""', "null", '"null"'],
    "field boolean": ["0", "true", '"1"', "TRUE", "01", " 1", "yes", "", '""', "null"],
    "field date": ["2026-01-31", '"2026-01-31T09:30:00Z"', "2026-02-30", "2026-01-31T09:30+02:00", " 2026-01-31",
                   "31.1.2026", "0000-01-01", "", "null"],
    "field list": ["a|b", '"a | b||a"', "|", '"a,""b"""', " a|b", '" a"', "", '""', "null", '"null"', "\\N"],
}  # fmt: skip
_WRITTEN["field text"] = [*_WRITTEN["text"], '"\t"', '"tab\tand \x01"', "x" * 9000, '"' + "é" * 4000 + '"']
_WRITTEN["ignored"] = [*_WRITTEN["text"], *_WRITTEN["price"]]
"""The plain form first, then the forms that pyarrow reads in its own way."""


class RowByRow(CarefulBlock):
    """Takes no row by the masks."""

    def _take_plain(self, records: Run) -> tuple[None, Run, list[int]]:
        is_blank = (records.first == records.last) & self.lines.blank()[records.last]
        return None, Run(records.first[:0], records.last[:0]), records.first[~is_blank].tolist()


def _declared(rng: random.Random) -> tuple[Field, ...]:
    """A field of each of some types."""
    types: list[FieldType] = ["text", "number", "boolean", "date", "list"]
    chosen = rng.sample(types, rng.choice([0, 1, 5]))
    return tuple(
        Field(f"of_{kind}", kind, kind, "|", False, None, False, False, False, rng.choice(["reject", "drop"]))
        for kind in chosen
    )


def _columns(rng: random.Random, table: Table, fields: tuple[Field, ...]) -> tuple[Column, ...]:
    """Those of the table, and others anywhere between them."""
    ignored = [Column(f"ignored {at}", "ignored", (), nullable=True) for at in range(rng.choice([0, 0, 1, 3]))]
    columns = [*table.columns, *map(field_column, fields), *ignored]
    if rng.random() < 0.5:
        rng.shuffle(columns)
    return tuple(columns)


def _row(rng: random.Random, columns: tuple[Column, ...], faults: float) -> str:
    def field(column: Column) -> str:
        kind = "id" if column.is_integer else f"field {column.field.type}" if column.field else column.kind
        return _WRITTEN[kind][0] if rng.random() >= faults else rng.choice(_WRITTEN[kind])

    fields = [field(column) for column in columns]
    if rng.random() < faults / 10:
        fields = rng.choice([fields[:-1], [*fields, ""], [""], ["" for _ in fields]])
    return ",".join(fields)


def _file(rng: random.Random, columns: tuple[Column, ...]) -> bytes:
    rows = [_row(rng, columns, rng.choice([0, 0.1, 0.4])) for _ in range(rng.randint(1, 7))]
    line_end = rng.choice(["\n", "\n", "\r\n", "\r\r\n"])
    text = line_end.join(rows) + rng.choice(["", line_end])
    return text.encode() if rng.random() < 0.9 else text.encode("latin-1", "replace")


def _outcome(layout: Layout, block_bytes: int) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    with BlockReader(layout.path, layout.first_byte, layout.first_line, block_bytes) as reader:
        for block in reader:
            cleaned = clean.clean_block(block, layout)
            reader.advance(block, cleaned.used_bytes, cleaned.used_lines)
            rows = zip(cleaned.lines.tolist(), cleaned.table.to_pylist(), strict=True)
            found += [(line, *row.values(), cleaned.raw(line)) for line, row in rows]
            found += [astuple(repair) for repair in cleaned.repairs]
            found += [(reject.line, reject.reason, reject.detail, reject.raw) for reject in cleaned.rejects]
    return sorted(found, key=lambda row: (int(str(row[0])), *map(str, row)))


@pytest.mark.parametrize("rounds", [20, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_all_paths_and_all_block_ends_agree(
    table: Table, rounds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(f"{table.file} {rounds}")
    path = tmp_path / table.file
    for _ in range(rounds):
        fields = _declared(rng)
        columns = _columns(rng, table, fields)
        content = _file(rng, columns)
        path.write_bytes(content)
        layout = Layout(path, table, columns, 0, 1, size=len(content), modified_ns=0, fields=fields)
        outcomes = {"fast": _outcome(layout, BLOCK_BYTES), "cut": _outcome(layout, rng.randint(1, 40))}
        with monkeypatch.context() as patch:
            patch.setattr(clean, "parse_plain", lambda *_: None)
            outcomes["careful"] = _outcome(layout, BLOCK_BYTES)
            patch.setattr(clean, "CarefulBlock", RowByRow)
            outcomes["row by row"] = _outcome(layout, BLOCK_BYTES)
        expected = outcomes.pop("row by row")
        assert outcomes == dict.fromkeys(outcomes, expected), content


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_an_empty_last_field_is_null_with_and_without_a_last_line_end(catalog: Catalog, end: str) -> None:
    found = read(catalog, "features", FEATURES + '1,1,"f","v"\n2,1,"g",' + end)
    assert [row["value"] for row in found.rows] == ["v", None]
    assert read(catalog, "photos", PHOTOS + '1,1,"u","t"\n2,1,"u2",' + end).reasons == [(3, "null_value")]


def test_a_bare_empty_field_beside_a_quoted_one_is_null_anywhere_in_a_block(catalog: Catalog) -> None:
    """The search for two ends of fields goes slice by slice, and a slice may end between them."""
    for shift in (-1, 0, 1):
        row = b'1,1,"'.ljust(_SLICE_BYTES + shift - 3, b"x") + b'",'
        found = read(catalog, "features", FEATURES.encode() + row + b'\n2,1,"f",""\n')
        assert [row["value"] for row in found.rows] == [None, ""]


@pytest.mark.parametrize(
    ("table", "rows", "reasons"),
    [
        ("features", FEATURES + '0x0010,1,"f",\n', [(2, "bad_id")]),
        ("features", FEATURES + '333,1,"bc d",\n334,0x0010,"a",null\n', [(3, "bad_id")]),
        ("styles", STYLES + '0x0010,1,"n",,100,1\n', [(2, "bad_id")]),
        # As long as the same number in decimal.
        *[("skus", f'{SKUS}{n:#x},1,"M",5\n', [(2, "bad_id")]) for n in (10**6, 10**7, 10**8, 10**9, 2**20 - 1)],
        ("skus", SKUS + '"0"xF4240,1,"M",5\n', [(2, "bad_quotes")]),
        ("skus", SKUS + '1,1,"M",0x7FFFFFFF\n', [(2, "bad_quantity")]),
    ],
)
def test_hexadecimal_numbers_are_rejected(
    catalog: Catalog, table: str, rows: str, reasons: list[tuple[int, str]]
) -> None:
    assert read(catalog, table, rows).reasons == reasons


def test_an_empty_field_hides_no_repair_of_the_next_row(catalog: Catalog) -> None:
    found = read(catalog, "features", FEATURES + '1,1,"f",\n 2 , 1 ,"f","v"\n')
    assert (found.ids, found.repaired) == ([1, 2], 1)


@pytest.mark.parametrize("neighbour", ["", "9,1,\n"], ids=["fast", "careful"])
def test_quotes_around_numbers_or_bare_texts_need_no_repair(catalog: Catalog, neighbour: str) -> None:
    found = read(catalog, "skus", SKUS + '1,1,"XL","5"\n2,1,XL,"5"\n"4","1",XL,5\n' + neighbour)
    assert [(row["id"], row["size"], row["quantity"]) for row in found.rows] == [(n, "XL", 5) for n in (1, 2, 4)]
    assert found.repaired == 0
