"""Random files: valid ones are read as by Python's csv; broken ones lose no sound row, and no wrong text is silent."""

import csv
import importlib.util
import io
import random
import sys
from decimal import Decimal

import pytest
from reading import FEATURES, Read, read
from support import Catalog

from etl.rejects import Repair
from etl.rows import fields
from etl.tables import TABLES, Column, Table

PIECES = ["a", "Größe", "日本", "🧵", " ", ",", '"', '""', "\\", "\n", "\r\n", "2,1,f,v", "\n3,1,x,y\n", "null"]
PIECES += ['30" wide', '2,"n","s","d","c",5', "\n2,n,s,d,c,5\n"]


def _text(rng: random.Random) -> str:
    text = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 6)))
    # Between letters, since an unquoted text is trimmed and may mean null.
    return "x" + text + "x"


def _value(rng: random.Random, column: Column) -> object:
    if column.kind == "text":
        return _text(rng)
    return rng.randint(0, 1) if column.kind == "boolean" else rng.randint(1, 99)


def _rows(rng: random.Random, table: Table, count: int) -> list[list[object]]:
    return [[n, *(_value(rng, column) for column in table.columns[1:])] for n in range(1, count + 1)]


def _written(rng: random.Random, rows: list[list[object]]) -> str:
    out = io.StringIO()
    style = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
    csv.writer(out, quoting=style, lineterminator=rng.choice(["\n", "\r\n"])).writerows(rows)
    return out.getvalue()


def _as_csv_reads(table: Table, text: str) -> list[dict[str, object]]:
    rows = csv.reader(io.StringIO(text, newline=""))
    return [
        {column.name: _typed(value, column) for value, column in zip(row, table.columns, strict=True)} for row in rows
    ]


def _typed(value: str, column: Column) -> object:
    if column.kind == "text":
        return value
    return bool(int(value)) if column.kind == "boolean" else Decimal(value) if column.kind == "price" else int(value)


def _loaded(found: Read) -> list[dict[str, object]]:
    return [{name: value for name, value in row.items() if name != "position"} for row in found.rows]


@pytest.mark.parametrize("rounds", [10, pytest.param(50, marks=pytest.mark.long)])
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_valid_file_is_read_as_python_reads_it_wherever_a_block_ends(
    catalog: Catalog, table: Table, rounds: int
) -> None:
    rng = random.Random(f"{table.name} {rounds}")
    for _ in range(rounds):
        text = _written(rng, _rows(rng, table, rng.randint(1, 12)))
        for block_bytes in (1, rng.randint(2, 200), 1 << 20):
            found = read(catalog, table.name, text, block_bytes)
            assert _loaded(found) == _as_csv_reads(table, text), text
            assert (found.repairs, found.rejects) == ([], []), text


@pytest.mark.parametrize("rounds", [25, pytest.param(120, marks=pytest.mark.long)])
@pytest.mark.parametrize("table", [table for table in TABLES if table.name != "related"], ids=lambda table: table.name)
def test_a_bad_quote_serves_no_wrong_text_in_silence_and_costs_no_later_row(
    catalog: Catalog, table: Table, rounds: int
) -> None:
    """Quotes are dropped, added and escaped in one row; all rows after the next one are loaded."""
    rng = random.Random(f"{table.name} {rounds}")
    for _ in range(rounds):
        rows = [_written(rng, [row]) for row in _rows(rng, table, 3)]
        bad = rows[2].rstrip("\r\n")
        places = [at for at, letter in enumerate(bad) if letter == '"'] or [len(bad)]
        at = rng.choice(places)
        rows[2] = rng.choice([bad[:at] + bad[at + 1 :], bad[:at] + '"' + bad[at:], bad[:at] + "\\" + bad[at:]]) + "\n"
        rows += [",".join(_plain(column, n) for column in table.columns) + "\n" for n in range(4, 9)]
        text = "".join(rows)
        found = read(catalog, table.name, text, rng.choice([1, 50, 1 << 20]))
        # A line inside a broken text may be a sound row (rule 7).
        known = [
            row for part in (text, *text.splitlines(keepends=True), *rows) for row in _as_csv_reads_bad(table, part)
        ]
        for row in _loaded(found):
            read_by_csv = {name: "" if value is None else value for name, value in row.items()}  # a bare empty field
            assert read_by_csv in known or any(_is_of(repair, row) for repair in found.repairs), (text, row)
        assert set(range(4, 9)) - set(found.ids) == set(), text


def _plain(column: Column, number: int) -> str:
    if column.name == "id":
        return str(number)
    return '"t"' if column.kind == "text" else "1"


def _as_csv_reads_bad(table: Table, text: str) -> list[dict[str, object]]:
    rows = []
    for row in csv.reader(io.StringIO(text, newline="")):
        if len(row) == len(table.columns) and all(
            value.isdigit() for value, column in zip(row, table.columns, strict=True) if column.kind != "text"
        ):
            rows.append({c.name: _typed(value, c) for value, c in zip(row, table.columns, strict=True)})
    return rows


def _is_of(repair: Repair, row: dict[str, object]) -> bool:
    return repair.after == ",".join(str(row[column]) for column in repair.columns.split(",") if column)


@pytest.mark.parametrize(
    ("written", "value", "rule"),
    [
        (r'"15\" deep, 40\" wide"', '15" deep, 40" wide', "escaped_quotes"),
        (r'"15\", 40\" wide"', '15", 40" wide', "escaped_quotes"),
        ('"15\\" deep\n2,1,f,v"', '15" deep\n2,1,f,v', "escaped_quotes"),
        (r'"15\""', '15"', "escaped_quotes"),
        ('"a "b" c"', 'a "b" c', "inner_quotes"),
        ('""a" b"', '"a" b', "inner_quotes"),
        (r'"a "b" 15\" c"', 'a "b" 15" c', "inner_quotes"),
        ('"15" deep, 40" wide"', '15" deep, 40" wide', "inner_quotes"),
        ('"TV 30""', 'TV 30"', "inner_quotes"),
        ('"15" deep', '15" deep', "open_quote"),
        (r'"C:\"', "C:\\", None),
        ('15" lamp', '15" lamp', None),
        ('a "b" c', 'a "b" c', None),
    ],
)
@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_quotes_that_are_not_doubled_keep_the_whole_text(
    catalog: Catalog, written: str, value: str, rule: str | None, block_bytes: int
) -> None:
    found = read(catalog, "features", FEATURES + f'1,1,"f",{written}\n9,1,"f","v"\n', block_bytes)
    assert [row["value"] for row in found.rows] == [value, "v"]
    assert [(repair.rule, repair.before, repair.after) for repair in found.repairs] == (
        [(rule, written, value)] if rule else []
    )


@pytest.mark.parametrize(
    ("file", "row", "reason"),
    [
        ("features", '1,1,"a "b", c","v"', "bad_quotes"),
        ("features", '1,1,"X"L,v', "bad_quotes"),
        ("features", '1,1,"Note": text,v', "bad_quotes"),
        ("skus", '"7"0,1,"M",5', "bad_quotes"),
        ("products", '1,"n","s","d "open,"c",5', "bad_quotes"),
        ("photos", "1,1,https://i/w_300,h_400/a.jpg,https://i/w_30,h_40/a.jpg", "surplus_fields"),
        ("products", "1,Lamp, round,s,d,c,5", "surplus_fields"),
        ("products", "1,n,s,d,c,1,000", "surplus_fields"),
        ("styles", "1,1,Black, white,null,5,1", "surplus_fields"),
        ("skus", "1,1,L, large,5", "surplus_fields"),
        ("features", "1,1,Size,15, wide", "surplus_fields"),
        ("related", "1,1,2,3", "surplus_fields"),
        ("photos", '1,1,"u","t","t","more"', "surplus_fields"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_an_ambiguous_row_is_rejected(catalog: Catalog, file: str, row: str, reason: str, first: bool) -> None:
    [table] = [table for table in TABLES if table.name == file]
    sound = ",".join(_plain(column, 9) for column in table.columns)
    rows = [row, sound] if first else [sound, row]
    found = read(catalog, file, "\n".join(rows) + "\n")
    assert (found.ids, found.reasons) == ([9], [(1 if first else 2, reason)])


@pytest.mark.parametrize(
    ("surplus", "after"), [(",", "v"), (",,", "v"), (',"v"', "v"), (",v,", "v"), (", v ,v", "v"), (',""', "v")]
)
def test_surplus_fields_that_are_empty_or_repeat_the_last_one_are_dropped(
    catalog: Catalog, surplus: str, after: str
) -> None:
    found = read(catalog, "features", FEATURES + f'1,1,"f","v"{surplus}\n2,1,"f","v"\n')
    assert [(repair.line, repair.rule, repair.columns, repair.before, repair.after) for repair in found.repairs] == [
        (2, "surplus_fields", "value", f'"v"{surplus}', after)
    ]
    assert (found.ids, found.repaired) == ([1, 2], 1)


def test_python_before_3_11_5_reads_quotes_as_later_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "hexversion", 0x030B02F0)
    spec = importlib.util.spec_from_file_location("fields_of_3_11_2", fields.__file__)
    assert spec and spec.loader
    old = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, old)
    spec.loader.exec_module(old)
    assert old.ESCAPED.body.pattern != fields.ESCAPED.body.pattern or sys.version_info < (3, 11, 5)
    rng = random.Random(7)
    for _ in range(2000):
        line = bytes(rng.choice(b'"""\\,,ab 1\r\n\t') for _ in range(rng.randrange(1, 40)))
        pairs = zip([old.ESCAPED, *old.loose_quotes(line)], [fields.ESCAPED, *fields.loose_quotes(line)], strict=True)
        for one, other in pairs:
            assert old.split_fields(line, 0, 4, one) == fields.split_fields(line, 0, 4, other), line
