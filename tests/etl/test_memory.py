"""Reading a broken file needs no memory for it. The bound is loose: only holding the file exceeds it."""

import subprocess
import sys

import pytest
from reading import PHOTOS
from support import ROOT, WAIT_S, Catalog

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
    dry_run = [sys.executable, "-m", "etl", "load", catalog.directory, "--dry-run", "--max-reject", "100"]
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, *dry_run, "--rejects", catalog.directory / "rejects"],
        cwd=ROOT, capture_output=True, timeout=WAIT_S, check=True,
    )  # fmt: skip
    assert 0 < int(done.stdout) < _MOST_BYTES
