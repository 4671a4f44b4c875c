"""tuning.json: what a shop changes in its searches. Reads it with its rank, and finds all mistakes at once."""

import csv
import json
import re
import sys
from array import array
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from etl.mistakes import mistakes_by_schema, read_json, refuse_mistakes
from etl.search.words import indexed_words

_SCHEMA = json.loads((Path(__file__).parent / "tuning.schema.json").read_text(encoding="utf-8"))
_MAX_ID = 2**31 - 1
_ID = re.compile("[0-9]{1,10}")
_WEIGHT = re.compile(r"[0-9]{1,20}(\.[0-9]{1,18})?")
"""As a price of the six files."""


@dataclass(frozen=True)
class Tuning:
    """A file without mistakes."""

    content: str
    """JSON, as it is written."""
    ranked: bytes | None
    """Ids by weight, descending, then id, as int4 of PostgreSQL's order; None without a rank."""
    placed: list[int]
    """Ids of pins and bury."""


def read_tuning(path: Path) -> Tuning:
    """Reads a file and its rank.

    Raises:
        Refused: names all mistakes.
    """
    content, given = read_json(path)
    mistakes = mistakes_by_schema(_SCHEMA, given)
    if not mistakes:
        mistakes = [*_without_words(given)]
    ranked = None
    if isinstance(given, dict) and isinstance(given.get("rank"), str) and given["rank"]:
        ranked, wrong = _read_rank(path.parent / given["rank"])
        mistakes += wrong
    refuse_mistakes(path, mistakes)
    places = [*given.get("pins", []), *given.get("bury", [])]
    return Tuning(content, ranked, sorted({int(id_) for place in places for id_ in place["ids"]}))


def _without_words(given: dict[str, Any]) -> list[str]:
    """Texts of signs alone, which stand for nothing, and of words that a query would exclude."""
    texts: list[tuple[str, str]] = []
    for at, group in enumerate(given.get("synonyms", [])):
        lists = {"": group} if isinstance(group, list) else {f".{name}": some for name, some in group.items()}
        texts += [(f"synonyms[{at}]{name}", text) for name, some in lists.items() for text in some]
    texts += [(f"stopWords.{name}", text) for name, some in given.get("stopWords", {}).items() for text in some]
    for name in ("pins", "bury"):
        texts += [(f"{name}[{at}].q", place["q"]) for at, place in enumerate(given.get(name, [])) if "q" in place]
    excluding = [f"{where}: {text!r} excludes a word" for where, text in texts if re.search(r"(^|\s)-\w", text)]
    return [*excluding, *(f"{where}: {text!r} has no word" for where, text in texts if not any(indexed_words(text)))]


def _read_rank(path: Path) -> tuple[bytes, list[str]]:
    weights: dict[int, Decimal] = {}
    mistakes = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file)
            for row in rows:
                line, values = f"{path.name} line {rows.line_num}", [value.strip() for value in row]
                if values in ([], ["id", "weight"]):
                    continue
                if len(values) != 2 or not _ID.fullmatch(values[0]) or not 0 < int(values[0]) <= _MAX_ID:
                    mistakes.append(f"{line}: {','.join(row)[:60]!r} is not id,weight")
                elif not _WEIGHT.fullmatch(values[1]):
                    mistakes.append(f"{line}: weight {values[1][:40]!r} is not a number from 0, such as 12.5")
                elif int(values[0]) in weights:
                    mistakes.append(f"{line}: id {values[0]} has a weight already")
                else:
                    weights[int(values[0])] = Decimal(values[1])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        return b"", [f"rank: {path} cannot be read ({error})"]
    ids = array("i", sorted((id_ for id_, weight in weights.items() if weight), key=lambda id_: (-weights[id_], id_)))
    if sys.byteorder == "little":
        ids.byteswap()
    return ids.tobytes(), mistakes
