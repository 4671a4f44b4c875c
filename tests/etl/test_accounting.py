"""The counts of a load agree with the generator's manifest, and the ceiling of rejects holds while files are read."""

import csv
import json
import os
import subprocess
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from in_process import workers_as_threads
from reading import FEATURES, PRODUCT, SKUS
from support import ROOT, SOUND, Catalog, Database, Run, load, run

from etl import cli, pipeline
from etl.config import Options
from etl.errors import LoadFailed
from etl.files import read_files, read_layouts
from etl.ledger import FileProgress, Progress, Reasons
from etl.limits import check_ceiling
from etl.progress import Display
from etl.rows.layout import Layout
from etl.tables import BY_NAME, TABLES

_SKUS = Layout(Path("skus.csv"), BY_NAME["skus"], (), 0, 1, 0, 0)


def _generate(directory: Path, *options: str) -> dict[str, dict[str, Any]]:
    """Writes a catalog; returns what its manifest says of each file."""
    generator = [
        os.environ["TEST_NODE"],
        ROOT / "scripts/generate",
        directory,
        *options,
    ]
    subprocess.run(generator, check=True, capture_output=True)
    files: dict[str, dict[str, Any]] = json.loads((directory / "manifest.json").read_text())["files"]
    return files


@pytest.mark.parametrize(
    "options",
    [
        "--products 1",
        "--products 5000",
        "--dirty --products 400 --seed 1",
        "--dirty --products 400 --seed 2",
        "--dirty --products 400 --fields",
        "--products 2000 --fields",
        "--dirty --products 3000 --seed 3",
        pytest.param("--dirty --products 10000 --seed 1", marks=pytest.mark.long),
    ],
)
def test_the_loader_counts_what_the_manifest_of_a_generated_catalog_counts(tmp_path: Path, options: str) -> None:
    expected = _generate(tmp_path, *options.split())
    progress: Progress = {table.file: FileProgress() for table in TABLES}
    reasons: Reasons = {}
    rules: Reasons = {}
    everything = Options("", tmp_path, max_reject_percent=Fraction(100), rejects=tmp_path, dry_run=True)
    with workers_as_threads():
        read_files(everything, Display(), read_layouts(tmp_path), progress, 0, reasons, rules)
    counted = {
        file: {
            "rows": done.read,
            "bytes": done.end_byte,
            "loaded": done.loaded,
            "repaired": done.repaired,
            "repairs": rules[file],
            "rejected": reasons[file],
        }
        for file, done in progress.items()
    }
    assert counted == expected


def test_a_dirty_catalog_is_loaded_repaired_and_rejected_as_its_manifest_says(
    database: Database, tmp_path: Path
) -> None:
    expected = _generate(tmp_path, "--products", "1000", "--dirty")
    done = run(
        database,
        "load",
        tmp_path,
        "--max-reject",
        10,
        "--rejects",
        tmp_path / "rejects",
    )
    assert done.status == 0, done.last_line
    counts = database.query(
        "SELECT file, sum(rows_read)::int, sum(rows_loaded)::int, sum(rows_repaired)::int "
        "FROM catalog_meta.chunks GROUP BY file"
    )
    assert {file: counted for file, *counted in counts} == {
        file: [counted["rows"], counted["loaded"], counted["repaired"]] for file, counted in expected.items()
    }
    reasons = database.query("SELECT file, reason, count(*) FROM catalog_meta.rejects GROUP BY file, reason")
    assert {(file, reason): count for file, reason, count in reasons} == {
        (file, reason): count for file, counted in expected.items() for reason, count in counted["rejected"].items()
    }
    repairs = database.query("SELECT file, rule, count(*) FROM catalog_meta.repairs GROUP BY file, rule")
    assert {(file, rule): count for file, rule, count in repairs} == {
        (file, rule): count for file, counted in expected.items() for rule, count in counted["repairs"].items()
    }


def test_a_repaired_row_that_is_an_orphan_counts_as_rejected_alone(database: Database, catalog: Catalog) -> None:
    catalog.write(
        "features.csv",
        FEATURES + '1,1,"UV","yes"\n4,99, "Fit","Slim"\n5,1, "Fit","Slim"\n',
    )
    assert load(database, catalog, "--max-reject", 50).status == 0
    counts = "SELECT rows_read, rows_loaded, rows_repaired, rows_rejected FROM catalog_meta.chunks WHERE file = %s"
    assert database.query(f"{counts} ORDER BY load_id DESC LIMIT 1", "features.csv") == [(3, 1, 1, 1)]


@pytest.mark.parametrize("options", [[], ["--dry-run"]], ids=["load", "dry run"])
@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_rejects_are_written_in_the_order_of_the_file(
    database: Database, catalog: Catalog, options: list[str], chunk: int
) -> None:
    catalog.append("skus.csv", '5,99,"M",5\n6,1,"M",x\n7,99,"M",5\n8,1,"M",x\n')
    assert load(database, catalog, "--max-reject", 90, "--chunk", chunk, *options).status == 0
    with (catalog.directory / "rejects/skus.rejects.csv").open(newline="") as file:
        assert [row["line"] for row in csv.DictReader(file)] == ["5", "6", "7", "8"]


@pytest.mark.parametrize("percent", ["0.57", "1.1", "19"])
def test_exactly_the_ceiling_is_allowed_and_one_row_more_is_not(
    percent: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def check(options: Options, _: object) -> None:
        most = round(float(percent) * 100)
        check_ceiling(_SKUS, _rejected(most), options.max_reject_percent)
        check_ceiling(_SKUS, _rejected(most + 1), options.max_reject_percent)

    monkeypatch.setattr(pipeline, "run_dry", check)
    assert cli.main(["load", "x", "--dry-run", "--max-reject", percent]) == 1
    most = round(float(percent) * 100) + 1
    assert capsys.readouterr().err.startswith(
        f"failed: skus.csv: {most:,} of 10,000 rows rejected, more than {percent} %:"
    )


@pytest.mark.parametrize(("rest", "is_passed"), [(2 * 190, False), (2 * 190 - 1, True)])
def test_a_file_is_given_up_only_when_its_rest_cannot_bring_it_below_the_ceiling(rest: int, is_passed: bool) -> None:
    """A row has at least two bytes, so the rest may have 190 sound rows: ten bad ones are then five percent."""
    progress = FileProgress(read=10, rejected=10, end_byte=1000)
    with pytest.raises(LoadFailed) if is_passed else nullcontext():
        check_ceiling(replace(_SKUS, size=1000 + rest), progress, Fraction(5))


@pytest.mark.parametrize(("rejected", "is_advised"), [(5_000, True), (5_001, False)])
def test_a_higher_ceiling_is_advised_unless_most_rows_are_rejected(rejected: int, is_advised: bool) -> None:
    with pytest.raises(LoadFailed) as failure:
        check_ceiling(_SKUS, _rejected(rejected), Fraction(5))
    assert ("--max-reject 50" in str(failure.value)) is is_advised


def test_a_file_with_fields_of_its_own_is_told_of_their_types(catalog: Catalog) -> None:
    catalog.write("fields.json", '{"skus": {"width": {"type": "number"}}}')
    catalog.write("skus.csv", 'id,styleId,size,quantity,width\n1,1,"M",5,wide\n')
    done = run(
        None,
        "load",
        catalog.directory,
        "--dry-run",
        "--rejects",
        catalog.directory / "rejects",
    )
    assert (
        done.status,
        'for bad_field, the type of that field in fields.json ("invalid"' in done.last_line,
    ) == (1, True)


def _rejected(rows: int) -> FileProgress:
    return FileProgress(is_done=True, read=10_000, rejected=rows)


@pytest.mark.parametrize("percent", ["-1", "100.01", "nan", "inf", "1/0", "five", ""])
def test_a_ceiling_must_be_a_percentage(percent: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["load", "x", f"--max-reject={percent}"])
    last = capsys.readouterr().err.splitlines()[-1]
    assert "is not a number" in last or "is not between 0 and 100" in last


def _dry_run(catalog: Catalog, max_reject: int) -> Run:
    rejects = catalog.directory / "rejects"
    return run(
        None,
        "load",
        catalog.directory,
        "--dry-run",
        "--max-reject",
        max_reject,
        "--rejects",
        rejects,
    )


def test_the_rejects_that_fail_a_load_are_written_down(catalog: Catalog) -> None:
    """The worker reports its progress every 16 MB, before the chunk ends."""
    rows = "".join(f'{n},1,"{"x" * 500_000}",5\n' for n in range(2, 42))
    catalog.write("skus.csv", SKUS + '1,1,"M",x\n' + rows)
    done = _dry_run(catalog, max_reject=0)
    assert done.last_line.startswith("failed: skus.csv: 1 of 41 rows rejected")
    assert "bad_quantity" in (catalog.directory / "rejects/skus.rejects.csv").read_text()


def test_a_dry_run_that_fails_leaves_no_rejects_of_an_earlier_one(
    catalog: Catalog,
) -> None:
    catalog.append("skus.csv", '9,1,"M",x\n')
    rejects = catalog.directory / "rejects"
    assert (
        _dry_run(catalog, max_reject=50).status,
        (rejects / "skus.rejects.csv").exists(),
    ) == (0, True)
    catalog.append("product.csv", '9,"A","a","aa","Hats",free\n')
    assert _dry_run(catalog, max_reject=1).status == 1
    assert [path.name for path in rejects.iterdir()] == ["product.rejects.csv"]


def test_a_catalog_whose_products_are_all_rejected_is_not_served(
    catalog: Catalog,
) -> None:
    catalog.write("product.csv", PRODUCT + '1,"A","a","aa","Hats",free\n')
    done = _dry_run(catalog, max_reject=100)
    assert (
        done.status,
        "a catalog without products is not served" in done.last_line,
    ) == (1, True)


def test_a_catalog_whose_products_are_all_repaired_is_sound(catalog: Catalog) -> None:
    rows = SOUND["product.csv"].splitlines()[1:]
    catalog.write("product.csv", PRODUCT + "".join(f"{row},\n" for row in rows))
    assert _dry_run(catalog, max_reject=0).status == 0


def test_a_load_without_rejects_leaves_none_of_an_earlier_one(database: Database, catalog: Catalog) -> None:
    written = catalog.directory / "rejects/skus.rejects.csv"
    catalog.append("skus.csv", '9,1,"M",x\n')
    assert (load(database, catalog, "--max-reject", 50).status, written.exists()) == (
        0,
        True,
    )
    catalog.write("skus.csv", SOUND["skus.csv"])
    assert (load(database, catalog).status, written.exists()) == (0, False)


def test_a_header_without_a_line_end_is_a_file_of_no_rows(database: Database, catalog: Catalog) -> None:
    catalog.write("features.csv", FEATURES.rstrip("\n"))
    done = load(database, catalog)
    assert done.status == 0, done.last_line
