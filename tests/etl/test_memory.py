"""Broken files and long texts need no memory of their size. The bound is loose: only holding them exceeds it."""

import os
import subprocess
import sys

import pytest
from reading import PHOTOS, PRODUCT
from support import ROOT, WAIT_S, Catalog, Database

pytestmark = pytest.mark.long

_BYTES = 128 << 20
_MOST_BYTES = 200 << 20
_PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""
"""The peak of the largest process that a command started, regardless of earlier tests."""


@pytest.mark.parametrize(
    "content",
    [
        b'1,1,"open\n' + (b"x" * 99_999 + b"\n") * (_BYTES // 100_000),
        b'1,1,"' + b"x" * _BYTES,
        b"1,1,u,t\n" * 9000 + bytes(_BYTES),
    ],
    ids=["a quote that never closes", "an endless line", "NULs after sound rows"],
)
def test_a_broken_file_is_read_without_its_memory(catalog: Catalog, content: bytes) -> None:
    catalog.write("photos.csv", PHOTOS.encode() + content)
    assert 0 < _peak_of_load(catalog, "", "--dry-run", "--max-reject", "100") < _MOST_BYTES


def test_long_texts_are_made_searchable_without_their_memory(database: Database, catalog: Catalog) -> None:
    """All products fit into one part of a chunk. Cutting all of its texts at once would take ten times their bytes."""
    words = " ".join(f"word{number % 500}" for number in range(8000))
    rows = (f'{id_},"Name","s","unique{id_} {words}","Hats",1\n' for id_ in range(1, _BYTES // 4 // len(words)))
    catalog.write("product.csv", PRODUCT + "".join(rows))
    assert 0 < _peak_of_load(catalog, database.loader) < _MOST_BYTES
    assert database.query("SELECT count(*) FROM catalog.search_sets WHERE key LIKE 'a:word_%'") == [(500,)]


def _peak_of_load(catalog: Catalog, database_url: str, *options: str) -> int:
    """Bytes of the largest process."""
    load = [
        sys.executable,
        "-m",
        "etl",
        "load",
        catalog.directory,
        "--rejects",
        catalog.directory / "rejects",
        *options,
    ]
    environment = os.environ | {"LOADER_DATABASE_URL": database_url}
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, *load], cwd=ROOT, env=environment, capture_output=True, timeout=WAIT_S, check=True
    )
    return int(done.stdout)
