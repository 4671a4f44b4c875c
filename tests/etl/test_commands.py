"""The last line names the problem and the whole command that works, in the form that was typed."""

import shlex
from pathlib import Path

import pytest
from support import Catalog, Database, load, run

from etl import cli
from etl.invocation import name_commands


@pytest.mark.parametrize(
    ("typed", "again", "more", "other"),
    [
        (
            "npm run load -- 'my csv' --state s",
            "npm run load -- 'my csv' --state s",
            "npm run load -- 'my csv' --state s -- --max-reject 5",
            "npm run etl -- --state s status",
        ),
        (
            "npm run load -- csv -- --max-reject=2 --jobs 1",
            "npm run load -- csv -- --max-reject=2 --jobs 1",
            "npm run load -- csv -- --jobs 1 --max-reject 5",
            "npm run etl -- status",
        ),
        (
            "npm start -- --data csv -- --max-reject 2",
            "npm start -- --data csv -- --max-reject 2",
            "npm start -- --data csv -- --max-reject 5",
            "status",  # its stack has ended
        ),
        (
            "npm run etl -- --state=s load csv",
            "npm run etl -- --state=s load csv",
            "npm run etl -- --state=s load csv --max-reject 5",
            "npm run etl -- --state=s status",
        ),
        (
            "catalog-etl load '/srv/my csv'",
            "catalog-etl load '/srv/my csv'",
            "catalog-etl load '/srv/my csv' --max-reject 5",
            "catalog-etl status",
        ),
        ("", None, None, "status"),
    ],
)
def test_a_message_names_the_whole_command(typed: str, again: str | None, more: str | None, other: str) -> None:
    def named(message: str) -> str:
        return name_commands(message, shlex.split(typed))

    assert named("lost; run the same command again to resume") == (
        f"lost; run `{again}` again to resume" if again else "lost; run the same command again to resume"
    )
    assert named("or run the same command again with --max-reject 5") == (
        f"or run `{more}` again" if more else "or run the same command again with --max-reject 5"
    )
    assert named("wait until it ends (see `status`)") == f"wait until it ends (see `{other}`)"


def test_a_message_names_the_command_with_an_option_that_has_no_value() -> None:
    typed = ["npm", "run", "load", "--", "csv", "--", "--jobs", "1"]
    message = "run the same command again with --drop-writes, which loses them"
    assert (
        name_commands(message, typed) == "run `npm run load -- csv -- --jobs 1 --drop-writes` again, which loses them"
    )


def test_a_load_above_the_ceiling_names_the_command_that_passes_it(
    database: Database, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog.append("skus.csv", "x,1,2,3\n")
    command = shlex.join(["catalog-etl", "load", str(catalog.directory)])
    monkeypatch.setenv("CATALOG_COMMAND", command)
    assert load(database, catalog).last_line.endswith(f"or run `{command} --max-reject 25` again")
    assert load(database, catalog, "--max-reject", 25).status == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["lod"], "no command 'lod': did you mean load?"),
        ([], "COMMAND is missing"),
        (["load"], "DIR is missing"),
        (["load", "my", "csv"], "unexpected word 'csv' (quote a path that has spaces)"),
        (["load", "csv", "--max-rejct", "5"], "unknown option '--max-rejct': did you mean --max-reject?"),
        (["load", "csv", "--camp", "x"], "unknown option '--camp': did you mean --campus?"),
        (["load", "csv", "--jobs"], "--jobs needs a value"),
        (["load", "csv", "--jobs", "-1"], "--jobs: '-1' is not a positive integer"),
        (["load", "csv", "--max-reject", "abc"], "--max-reject: 'abc' is not a number"),
    ],
)
@pytest.mark.parametrize("typed", ["npm run etl -- --state s", "catalog-etl"])
def test_wrong_words_are_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, words: list[str], message: str
) -> None:
    monkeypatch.setenv("CATALOG_COMMAND", shlex.join([*shlex.split(typed), *words]))
    with pytest.raises(SystemExit, match="2"):
        cli.main(words)
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"refused: {message}")
    called = "npm run etl -- " if typed.startswith("npm") else "catalog-etl "
    known = f"{words[0]} " if words[:1] == ["load"] else ""
    assert line.endswith(f" {called}{known}--help shows the options")


@pytest.mark.parametrize(
    ("found", "advice"),
    [
        ("product.csv.gz", "gunzip {0}/product.csv.gz"),
        ("product.gz", "gunzip {0}/product.gz"),
        ("Product.CSV.bz2", "bunzip2 {0}/Product.CSV.bz2"),
        ("product.zip", "unzip -d {0} {0}/product.zip"),
        ("Product.CSV", "mv {0}/Product.CSV {0}/product.csv"),
        ("products.csv", "mv {0}/products.csv {0}/product.csv"),
        ("product (1).csv", "mv '{0}/product (1).csv' {0}/product.csv"),
        ("product.txt", "mv {0}/product.txt {0}/product.csv"),
    ],
)
def test_a_missing_file_is_reported_with_its_lookalike(catalog: Catalog, found: str, advice: str) -> None:
    (catalog.directory / "product.csv").rename(catalog.directory / found)
    done = run(None, "load", catalog.directory, "--check")
    assert (done.status, done.last_line) == (
        2,
        f"refused: {catalog.directory}/product.csv is missing: found {found}; run {advice.format(catalog.directory)}",
    )


def test_all_missing_files_are_reported_at_once(catalog: Catalog) -> None:
    for file in ("product.csv", "skus.csv"):
        (catalog.directory / file).rename(catalog.directory / f"{file}.gz")
    (catalog.directory / "related.csv").unlink()
    folder = catalog.directory
    assert run(None, "load", folder, "--check").last_line == (
        f"refused: {folder}/product.csv, skus.csv, related.csv are missing: found product.csv.gz, skus.csv.gz; "
        f"run gunzip {folder}/product.csv.gz && gunzip {folder}/skus.csv.gz"
    )


def test_a_wrong_folder_is_reported_with_the_likely_one(catalog: Catalog) -> None:
    def message(folder: Path) -> str:
        return run(None, "load", folder, "--check").last_line

    name = catalog.directory.name
    assert message(catalog.directory.with_name(f"{name}x")).endswith(f"did you mean {catalog.directory}?")
    assert "is not a folder but a file: " in message(catalog.directory / "skus.csv")
    assert message(catalog.directory.parent).endswith(
        f"all six files must be in one folder; they are in {catalog.directory}"
    )
    assert run(None, "load", catalog.directory, "--check").status == 0
