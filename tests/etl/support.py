"""Shared by the loader's tests: files to load, the command line, and queries of the database."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from _pytest.mark import ParameterSet
from in_process import run_in_process

from etl.tables import TABLES

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 60

SOUND = {
    "product.csv": 'id,name,slogan,description,category,default_price\n1,"A","a","aa","Hats",140\n'
    '2,"B","b","bb","Hats",49.5\n3,"C","c","cc","Hats",19.999\n',
    "styles.csv": "id,productId,name,sale_price,original_price,default_style\n"
    '1,1,"Red",null,140,1\n2,1,"Blue",100,140,0\n3,2,"Green",null,49.5,0\n',
    "photos.csv": 'id,styleId,url,thumbnail_url\n2,1,"u2","t2"\n1,1,"u1","t1"\n3,2,"u3","t3"\n',
    "skus.csv": 'id,styleId,size,quantity\n2,1,"M",5\n1,1,"7.5",0\n3,2,"One Size",9\n',
    "features.csv": 'id,product_id,feature,value\n2,1,"Fit","Slim"\n1,1,"UV",null\n',
    "related.csv": "id,current_product_id,related_product_id\n2,1,3\n1,1,2\n4,1,3\n3,1,1\n",
}


Case = tuple[object, ...]
HOLD = "catalog_meta.hold"
"""The table that `hold_ledger_row` makes the loader wait for."""
LATER_STEPS: list[Case] = [
    (["copy"], "index", "catalog_staging.skus", "ROW EXCLUSIVE"),
    (["copy"], "index", "catalog_staging.products", "ROW EXCLUSIVE"),
    (["copy", "index"], "documents", "catalog_staging.related", "ACCESS EXCLUSIVE"),
    (["copy", "index"], "documents", "catalog_staging.photos", "ACCESS EXCLUSIVE"),
    (["copy", "index", "documents", "search"], "verify", "catalog_staging.page_blocks", "ACCESS EXCLUSIVE"),
    (["copy", "index", "documents", "search", "verify"], "swap", "catalog_meta.data_version", "ACCESS EXCLUSIVE"),
    (["copy", "index", "documents"], "search", "catalog_staging.skus", "ACCESS EXCLUSIVE"),
    (["copy", "index", "documents"], "search", "catalog_staging.cards", "ACCESS EXCLUSIVE"),
]
"""Finished steps, the next one, and a lock that stops it in its middle."""


def mostly_long(cases: list[Case], short: list[int]) -> list[Case | ParameterSet]:
    """Marks all cases as long except those at the places `short`."""
    return [case if place in short else pytest.param(*case, marks=pytest.mark.long) for place, case in enumerate(cases)]


class Catalog:
    """A folder of six files."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(parents=True)
        for file, text in SOUND.items():
            self.write(file, text)

    def write(self, file: str, text: str | bytes) -> None:
        (self.directory / file).write_bytes(text.encode() if isinstance(text, str) else text)

    def append(self, file: str, text: str | bytes) -> None:
        with (self.directory / file).open("ab") as out:
            out.write(text.encode() if isinstance(text, str) else text)

    def grow(self, products: int) -> None:
        """Replaces the files with sound ones of some size; one style, two photos and skus a product."""
        ids = range(1, products + 1)
        self._rows("product.csv", (f'{i},"Name {i}","s","{"d" * 50}","Hats",{i}' for i in ids))
        self._rows("styles.csv", (f'{i},{i},"Style",null,{i}.25,1' for i in ids))
        pairs = [(2 * i + side, i) for i in ids for side in (1, 0)]
        self._rows("photos.csv", (f'{pair},{i},"https://u/{pair}","https://t/{pair}"' for pair, i in pairs))
        self._rows("skus.csv", (f'{pair},{i},"XL",7' for pair, i in pairs))
        self._rows("features.csv", (f'{i},{i},"Fabric","Canvas"' for i in ids))
        self._rows("related.csv", (f"{i},{i},{products + 1 - i}" for i in ids))

    def _rows(self, file: str, rows: Iterator[str]) -> None:
        header = SOUND[file].splitlines()[0]
        self.write(file, "\n".join([header, *rows]) + "\n")


@dataclass(frozen=True)
class Database:
    """DSNs of one database."""

    superuser: str
    loader: str
    api: str

    def query(self, sql: str, *parameters: object) -> list[tuple[object, ...]]:
        with psycopg.connect(self.superuser, autocommit=True) as connection:
            return connection.execute(sql, parameters or None).fetchall()

    def execute(self, sql: str) -> None:
        with psycopg.connect(self.superuser, autocommit=True) as connection:
            connection.execute(sql)

    def hashes(self, schema: str = "catalog") -> dict[str, object]:
        """Rows and a hash of each table, without the time and number of the load."""
        hashes: dict[str, object] = {}
        made = ["product_documents", "styles_documents", "cards", "page_blocks", "search_sets", "search_blobs"]
        for table in [*(table.name for table in TABLES), *made]:
            hashes[table] = self.query(
                "SELECT count(*), sum(hashtextextended(regexp_replace("
                "  (to_jsonb(t) - 'load_id' - 'created_at' - 'updated_at')::text,"
                "  '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z', '', 'g'), 0))"
                f" FROM {schema}.{table} AS t"
            )
        return hashes


@dataclass
class Run:
    """An ended command."""

    status: int
    stdout: str
    stderr: str

    @property
    def last_line(self) -> str:
        return self.stderr.strip().splitlines()[-1]


def start(
    database: Database | None, *arguments: object, stdout: int = subprocess.PIPE, stderr: int = subprocess.PIPE
) -> "subprocess.Popen[str]":
    """Starts the loader in its own process group, with buffered output as in a shell."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("LOADER_DATABASE_URL", "PYTHONUNBUFFERED")
    }
    if database:
        environment["LOADER_DATABASE_URL"] = database.loader
    return subprocess.Popen(
        [sys.executable, "-m", "etl", *_words(arguments)],
        cwd=ROOT,
        env=environment,
        stdout=stdout,
        stderr=stderr,
        text=True,
        start_new_session=True,
    )


def _words(arguments: tuple[object, ...]) -> list[str]:
    if "--rejects" not in arguments:
        arguments = (*arguments, "--rejects", Path(tempfile.gettempdir()) / f"rejects-{os.getpid()}")
    return [str(argument) for argument in arguments]


def run_process(database: Database | None, *arguments: object, stdout: int = subprocess.PIPE) -> Run:
    """Runs the loader in processes of its own, as an operator does."""
    process = start(database, *arguments, stdout=stdout)
    out, err = process.communicate(timeout=WAIT_S)
    return Run(process.returncode, out or "", err)


def run(database: Database | None, *arguments: object) -> Run:
    """Runs the loader in this process, which takes a tenth of the time."""
    return Run(*run_in_process(database.loader if database else None, _words(arguments)))


def load(database: Database, catalog: Catalog, *arguments: object) -> Run:
    return run(database, "load", catalog.directory, "--rejects", catalog.directory / "rejects", *arguments)


def served(database: Database) -> list[tuple[object, ...]]:
    return database.query("SELECT id, head, features, related FROM catalog.product_documents ORDER BY id")


def wait_until(condition: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, f"waited {WAIT_S} s until {what}"
        time.sleep(0.02)


@contextmanager
def locked(database: Database, table: str, mode: str) -> Iterator[None]:
    """Holds a lock, so that the loader stops at a known statement."""
    with psycopg.connect(database.superuser) as connection:
        connection.execute(f"LOCK TABLE {table} IN {mode} MODE")
        yield


_BLOCKED = """
SELECT 1 FROM pg_stat_activity AS waiting
JOIN pg_stat_activity AS holder ON holder.pid = ANY (pg_blocking_pids(waiting.pid))
WHERE waiting.application_name = 'catalog-loader' AND waiting.datname = current_database()
AND waiting.wait_event_type = 'Lock' AND waiting.wait_event = 'relation'
AND holder.backend_type = 'client backend' AND holder.application_name <> 'catalog-loader'
"""
_CONNECTED = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'catalog-loader' AND datname = current_database()"


def is_blocked(database: Database) -> bool:
    """A connection of the loader waits for a lock of the test: in some steps they wait for each other too."""
    return bool(database.query(_BLOCKED))


def start_until_blocked(
    database: Database, *arguments: object, stdout: int = subprocess.PIPE
) -> "subprocess.Popen[str]":
    """Starts the loader and returns when it waits for a lock of the test, rather than of a killed loader."""
    with psycopg.connect(database.superuser, autocommit=True) as looking:  # one connection: each login costs 10 ms

        def finds(sql: str) -> bool:
            return looking.execute(sql).fetchone() is not None

        wait_until(lambda: not finds(_CONNECTED), "the connections of earlier loaders have ended")
        process = start(database, *arguments, stdout=stdout)
        wait_until(lambda: finds(_BLOCKED) or process.poll() is not None, "the loader waits for the test's lock")
        assert process.poll() is None, process.communicate()
    return process


@contextmanager
def blocked_run(database: Database, table: str, mode: str, *arguments: object) -> Iterator["Future[Run]"]:
    """Runs the loader in a thread until a lock stops it; leaving the context frees the lock and waits for its end.

    Another run inside the context must end there: both redirect the same stdout.
    """
    with ThreadPoolExecutor() as threads, locked(database, table, mode):
        running = threads.submit(run, database, *arguments)
        wait_until(lambda: is_blocked(database) or running.done(), "the loader waits for the test's lock")
        yield running


def hold_ledger_row(database: Database, file: str, chunk: int) -> None:
    """Makes the ledger row of a chunk wait for the table HOLD: its rows are copied but not committed."""
    database.execute(
        "CREATE OR REPLACE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN LOCK TABLE {HOLD} IN SHARE MODE; RETURN NEW; END $$; "
        f"CREATE TABLE IF NOT EXISTS {HOLD} (); GRANT ALL ON {HOLD} TO catalog_owner; "
        "GRANT USAGE ON SCHEMA public TO catalog_owner; "
        "CREATE TRIGGER hold BEFORE INSERT ON catalog_meta.chunks FOR EACH ROW "
        f"WHEN (NEW.file = '{file}' AND NEW.chunk = {chunk}) EXECUTE FUNCTION public.hold()"
    )


def release_ledger_rows(database: Database) -> None:
    database.execute("DROP TRIGGER hold ON catalog_meta.chunks")
