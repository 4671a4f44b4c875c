"""Searches are tuned without a load: what is stored, what is refused, and what changes."""

import json
from pathlib import Path

import pytest
from support import Catalog, Database, load, run

PINS = {"pins": [{"q": "jacket", "ids": [2, 900_001]}]}


def write(folder: Path, content: object, rank: str | None = None) -> Path:
    path = folder / "tuning.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    if rank is not None:
        (folder / "rank.csv").write_text(rank, encoding="utf-8")
    return path


def stored(database: Database) -> list[tuple[object, ...]]:
    return database.query("SELECT number, content::text, ranked FROM catalog_meta.tuning ORDER BY number DESC")


@pytest.fixture
def tuned(database: Database, catalog: Catalog) -> Database:
    load(database, catalog)
    database.execute("TRUNCATE catalog_meta.tuning")
    return database


def test_the_last_tuning_and_the_one_before_are_kept(tuned: Database, tmp_path: Path) -> None:
    for brand in ("one", "two", "three"):
        assert run(tuned, "tune", write(tmp_path, {"synonyms": [["brand", brand]]})).status == 0
    rows = stored(tuned)
    assert [json.loads(str(content))["synonyms"] for _, content, _ in rows] == [
        [["brand", "three"]],
        [["brand", "two"]],
    ]
    assert int(str(rows[0][0])) > int(str(rows[1][0])) > 200_000_000_000


def test_undo_goes_back_and_forth(tuned: Database, tmp_path: Path) -> None:
    assert "nothing can be undone" in run(tuned, "tune", "--undo").last_line
    assert run(tuned, "tune", write(tmp_path, PINS)).status == 0
    shown = []
    for _ in range(3):
        shown.append(json.loads(run(tuned, "tune", "--show").stdout))
        assert run(tuned, "tune", "--undo").status == 0
    assert shown == [PINS, {}, PINS]


def test_an_id_that_does_not_exist_is_named_and_kept(tuned: Database, tmp_path: Path) -> None:
    done = run(tuned, "tune", write(tmp_path, PINS))
    assert (done.status, "product 900001 of pins or bury does not exist" in done.stderr) == (0, True)
    assert "product 2 " not in done.stderr
    assert json.loads(str(stored(tuned)[0][1])) == PINS


def test_a_rank_is_stored_by_weight_and_then_id(tuned: Database, tmp_path: Path) -> None:
    rank = "\ufeffid,weight\r\n7,1.5\n3, 1.50\n9,20\n4,0\n\n"
    assert run(tuned, "tune", write(tmp_path, {"rank": "rank.csv"}, rank)).status == 0
    ((_, _, ranked),) = stored(tuned)
    assert bytes(ranked).hex() == "000000090000000300000007"  # type: ignore[arg-type]


def test_it_survives_a_load_and_is_undone_without_one(tuned: Database, catalog: Catalog, tmp_path: Path) -> None:
    assert run(tuned, "tune", write(tmp_path, PINS)).status == 0
    catalog.append("product.csv", '900001,"New","s","d","Jackets",1\n')
    load(tuned, catalog)
    assert json.loads(run(tuned, "tune", "--show").stdout) == PINS
    assert "does not exist" not in run(tuned, "tune", write(tmp_path, PINS)).stderr


@pytest.mark.parametrize(
    ("content", "rank", "mistakes"),
    [
        ("{", None, ["is no JSON: Expecting property name enclosed in double quotes in line 1, column 2"]),
        ([], None, ["the file: [] is not of type 'object'"]),
        (
            {"synonym": [], "synonyms": [["a"], {"from": ["b"]}], "pins": [{"ids": [1]}, {"q": "a", "ids": [0]}]},
            None,
            [
                "5 mistakes",
                "the file: 'synonym' is none of",
                "did you mean 'synonyms'?",
                "synonyms[0] is neither a list of two texts or more",
                "synonyms[1] is neither",
                "pins[0] needs one of q and category",
                "pins[1].ids[0]: 0 is less than the minimum of 1",
            ],
        ),
        (
            {"pins": [{"q": "a", "category": "b", "ids": [1]}], "bury": [{"q": "a", "ids": [1, 1]}]},
            None,
            ["pins[0] needs one of q and category", "bury[0].ids: [1, 1] has non-unique elements"],
        ),
        (
            {"synonyms": [["-", "a"], {"from": ["b"], "to": ["™"]}], "stopWords": {"add": ["!"]}, "rank": "rank.csv"},
            "id,weight\nx,1\n1,-1\n2,1\n2,2\n3\n",
            [
                "7 mistakes",
                "synonyms[0]: '-' has no word",
                "synonyms[1].to: '™' has no word",
                "stopWords.add: '!' has no word",
                "rank.csv line 2: 'x,1' is not id,weight",
                "rank.csv line 3: weight '-1' is not a number",
                "rank.csv line 5: id 2 has a weight already",
                "rank.csv line 6: '3' is not id,weight",
            ],
        ),
        ({"rank": "missing.csv"}, None, ["missing.csv cannot be read"]),
        (
            {"synonyms": [["a", "b -c"]], "pins": [{"q": "-d", "ids": [1]}]},
            None,
            ["2 mistakes", "synonyms[0]: 'b -c' excludes a word", "pins[0].q: '-d' excludes a word"],
        ),
    ],
)
def test_a_file_with_mistakes_is_refused_with_all_of_them(
    tuned: Database, tmp_path: Path, content: object, rank: str | None, mistakes: list[str]
) -> None:
    done = run(tuned, "tune", write(tmp_path, content, rank))
    assert (done.status, stored(tuned)) == (2, [])
    assert [mistake for mistake in mistakes if mistake not in done.stderr] == []


@pytest.mark.parametrize(
    "words", [[], ["--check", "a"], ["a", "b"], ["--show", "--undo"], ["a", "--undo"], ["--check"]]
)
def test_other_words_name_the_four_ways(tuned: Database, words: list[str]) -> None:
    done = run(tuned, "tune", *words)
    assert (done.status, "type tune FILE, tune --check FILE QUERIES" in done.last_line) == (2, True)


def test_check_prints_the_queries_that_would_change_and_stores_nothing(tuned: Database, tmp_path: Path) -> None:
    ((name,),) = tuned.query("SELECT name FROM catalog.products ORDER BY id DESC LIMIT 1")
    queries = tmp_path / "queries.txt"
    queries.write_text(f"{name}\n\nmarsupilami\nunknownium\n{name}\n", encoding="utf-8")
    file = write(tmp_path, {"synonyms": [["marsupilami", str(name).split()[0]]]})
    done = run(tuned, "tune", "--check", file, queries)
    assert (done.status, stored(tuned)) == (0, []), done.stderr
    first, *_, last = done.stdout.splitlines()
    assert first.startswith("marsupilami: 0 () → ")
    assert last.startswith("1 of 3 queries change")
    assert "cannot be read" in run(tuned, "tune", "--check", file, tmp_path / "no").last_line
    queries.write_text("x" * 201, encoding="utf-8")
    assert "has more than 200 characters" in run(tuned, "tune", "--check", file, queries).last_line
