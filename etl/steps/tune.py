"""Tune the searches of what is served, without a load: synonyms, stop words, pins, bury, rank (tuning.json).

It counts for all workers at once, and stays over loads. --check prints which of some saved queries it would change.
"""

import json
import shutil
import subprocess
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict

from etl.context import Context
from etl.database import has_schema, serving_transaction
from etl.errors import LoadFailed, Refused
from etl.sql import SERVED, read_sql
from etl.tuning import Tuning, read_tuning

_CHECKER = Path(__file__).resolve().parents[2] / "server" / "check-tuning.js"
_SHOWN_IDS = 5
_MOST_CHARACTERS = 200
"""The longest query, as in server/search/text/query-text.js."""


def run(context: Context) -> None:
    """Does what the options name."""
    options = context.options
    if options.show:
        _show(context.connection)
    elif options.undo:
        _undo(context)
    elif options.tuning_file and options.check:
        _check(context, read_tuning(options.tuning_file), options.queries)
    elif options.tuning_file:
        _tune(context, read_tuning(options.tuning_file))


def _tune(context: Context, tuning: Tuning) -> None:
    _name_missing(context, tuning)
    number = _store(context.connection, tuning.content, tuning.ranked)
    weights = "" if tuning.ranked is None else f", {len(tuning.ranked) // 4:,} products have a weight"
    context.display.say(f"tuning {number} counts now{weights}; `tune --undo` goes back")


def _store(connection: psycopg.Connection, content: str, ranked: bytes | None) -> int:
    """Stores a tuning as the last one, and keeps the one before."""
    with serving_transaction(connection):
        connection.execute("LOCK TABLE catalog_meta.tuning IN SHARE ROW EXCLUSIVE MODE")
        row = connection.execute(read_sql("log/tune.sql"), [content, ranked]).fetchone()
        connection.execute("SELECT pg_notify('catalog_version', '')")
    assert row is not None
    return int(row[0])


def _undo(context: Context) -> None:
    rows = context.connection.execute(
        "SELECT content::text, ranked FROM catalog_meta.tuning ORDER BY number DESC LIMIT 2"
    ).fetchall()
    if not rows:
        raise Refused("searches are not tuned: nothing can be undone")
    content, ranked = rows[1] if len(rows) > 1 else ("{}", None)
    number = _store(context.connection, content, ranked)
    context.display.say(f"tuning {number} counts now, as before the last one; a second `tune --undo` undoes this")


def _show(connection: psycopg.Connection) -> None:
    row = connection.execute("SELECT content::text FROM catalog_meta.tuning ORDER BY number DESC LIMIT 1").fetchone()
    print(row[0].strip() if row else "{}")


def _name_missing(context: Context, tuning: Tuning) -> None:
    if not has_schema(context.connection, SERVED):
        return
    found = context.connection.execute(
        "SELECT id FROM unnest(%s::int[]) AS wanted (id) "
        "WHERE NOT EXISTS (SELECT FROM catalog.products WHERE products.id = wanted.id)",
        [tuning.placed],
    )
    for (id_,) in found:
        context.display.say(f"product {id_} of pins or bury does not exist: it is ignored until it does")


def _check(context: Context, tuning: Tuning, queries_file: Path | None) -> None:
    assert queries_file is not None
    try:
        queries = [line.strip() for line in queries_file.read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{queries_file} cannot be read ({error}): name a file with a query a line") from None
    too_long = next((query for query in queries if len(query) > _MOST_CHARACTERS), None)
    if too_long is not None:
        raise Refused(f"{queries_file}: {too_long[:40]!r}… has more than {_MOST_CHARACTERS} characters: shorten it")
    node = shutil.which("node")
    if node is None:
        raise Refused("--check searches with the code of the workers, and `node` is not in PATH: run it where they run")
    _name_missing(context, tuning)
    asked = {
        "content": json.loads(tuning.content),
        "ranked": None if tuning.ranked is None else tuning.ranked.hex(),
        "queries": [query for query in dict.fromkeys(queries) if query],
    }
    done = subprocess.run(
        [node, str(_CHECKER)],
        input=json.dumps(asked),
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={"DATABASE_URL": _as_url(context.options.database_url)},
        check=False,
    )
    if done.returncode != 0:
        raise LoadFailed("the searches failed, for the reason above")
    changes = [json.loads(line) for line in done.stdout.splitlines()]
    for change in changes:
        before, after = (
            f"{each['total']:,} ({', '.join(map(str, each['ids'][:_SHOWN_IDS]))})" for each in change["found"]
        )
        print(f"{change['q']}: {before} → {after}")
    print(f"{len(changes)} of {len(asked['queries'])} queries change: products, and ids of the first ones")


def _as_url(dsn: str) -> str:
    """The form of a DSN that workers read; libpq has another one, too."""
    if "://" in dsn:
        return dsn
    parts = {name: str(value) for name, value in conninfo_to_dict(dsn).items()}
    user, password = (quote(parts.pop(name, ""), safe="") for name in ("user", "password"))
    return f"postgres://{user}:{password}@/{quote(parts.pop('dbname', ''), safe='')}?{urlencode(parts)}"
