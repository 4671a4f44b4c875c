"""One database for each test module, on the server that the test command started."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from support import Catalog, Database  # noqa: E402


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: takes longer than a minute; npm run test:long runs it")
    node = next(ROOT.glob(".runtime/node/node_modules/node-*/bin/node"), "node")
    os.environ.setdefault("TEST_NODE", str(node))  # npm test sets its own, and its PATH
    os.environ["PATH"] = f"{Path(node).parent}:{os.environ['PATH']}"


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """A superuser DSN of the database postgres. Without npm test, which starts it, it is started for this run."""
    if dsn := os.environ.get("TEST_DATABASE_URL"):
        yield dsn
        return
    starter = [os.environ["TEST_NODE"], ROOT / "tests/helpers/start-servers.js"]
    with subprocess.Popen(starter, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as servers:
        assert servers.stdin and servers.stdout
        os.environ |= json.loads(servers.stdout.readline())
        yield os.environ["TEST_DATABASE_URL"]
        servers.stdin.close()


@pytest.fixture(scope="module")
def database(server: str, request: pytest.FixtureRequest) -> Iterator[Database]:
    """An empty database with the roles; dropped after the module."""
    name = f"{Path(request.node.name).stem}_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f'CREATE DATABASE "{name}"')
    superuser = make_conninfo(server, dbname=name)
    with psycopg.connect(superuser, autocommit=True) as admin:
        admin.execute((ROOT / "db/roles.sql").read_text())
    yield Database(
        superuser,
        _as_role(server, name, "catalog_loader", os.environ.get("TEST_LOADER_PASSWORD")),
        _as_role(server, name, "catalog_api", os.environ.get("TEST_API_PASSWORD")),
    )
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _as_role(server: str, database: str, role: str, password: str | None) -> str:
    return make_conninfo(server, dbname=database, user=role, password=password)


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """Six small sound files that a test may change."""
    return Catalog(tmp_path / "csv")
