"""The folder of an export: what it replaces, what it refuses, and what a killed export leaves."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from support import ROOT, Catalog, Database, blocked_run, load, locked, run, start_until_blocked

from etl import export_folder
from etl.errors import Refused
from etl.manifest import MANIFEST, read_manifest
from etl.steps import export as step


@pytest.fixture(scope="module")
def grown(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """A catalog that is served, and takes some time to export."""
    catalog = Catalog(tmp_path_factory.mktemp("grown") / "csv")
    catalog.grow(50)
    assert load(database, catalog).status == 0
    return catalog


@pytest.fixture
def exported(tmp_path: Path, grown: Catalog) -> Path:
    assert grown
    return tmp_path / "exported"


def export(database: Database, directory: Path) -> None:
    assert run(database, "export", directory).status == 0


def beside(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.parent.glob(f"{directory.name}*"))


def test_an_export_replaces_an_export_or_an_empty_folder(database: Database, exported: Path) -> None:
    exported.mkdir()
    export(database, exported)
    (exported / "skus.csv").write_text("spoiled")
    export(database, exported)
    assert (exported / "skus.csv").read_text().startswith("id,styleId")
    assert beside(exported) == ["exported"]


def test_an_export_through_a_link_replaces_what_it_leads_to(database: Database, exported: Path) -> None:
    exported.mkdir()
    link = exported.with_name("link")
    link.symlink_to(exported)
    export(database, link)
    export(database, link)
    assert link.is_symlink()
    assert (exported / MANIFEST).exists()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("exported", "exported is not a folder but a file: name a folder"),
        ("exported/notes.txt", "exported is no export and has files: name a new folder, an empty one"),
        ("exported/product.csv", "exported is no export and has files"),
        ("exported.export-part/notes.txt", "exported.export-part/notes.txt is no file of an export: move it away"),
        ("exported.export-old/notes.txt", "exported.export-old/notes.txt is no file of an export"),
        ("exported/product.csv/x/y", "exported is no export and has files"),
    ],
)
def test_what_is_no_export_is_not_replaced(database: Database, exported: Path, path: str, message: str) -> None:
    kept = exported.parent / path
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("mine")
    refused = run(database, "export", exported)
    assert (refused.status, kept.read_text()) == (2, "mine")
    assert message in refused.last_line


def test_a_file_beside_an_export_is_not_lost(database: Database, exported: Path) -> None:
    export(database, exported)
    (exported / "notes.txt").write_text("mine")
    refused = run(database, "export", exported)
    assert (refused.status, (exported / "notes.txt").read_text()) == (2, "mine")
    assert "exported/notes.txt is no file of an export: move it away, or name another folder" in refused.last_line


def test_a_second_export_into_the_folder_is_refused(database: Database, exported: Path) -> None:
    with blocked_run(database, "catalog.products", "ACCESS EXCLUSIVE", "export", exported) as running:
        refused = run(database, "export", exported)
    assert (refused.status, running.result().status) == (2, 0)
    assert "another export writes" in refused.last_line


def test_an_export_does_not_share_the_folder_of_one_that_has_just_ended(tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.mkdir()
    lock = os.open(part, os.O_RDONLY)
    try:
        part.rename(tmp_path / "exported")
        for made in (lambda: None, part.mkdir):
            made()
            with pytest.raises(Refused, match="another export writes"):
                export_folder._take(lock, part)
    finally:
        os.close(lock)


def test_a_failed_export_leaves_the_one_before(database: Database, exported: Path) -> None:
    export(database, exported)
    before = (exported / MANIFEST).read_text()
    with locked(database, "catalog.products", "ACCESS EXCLUSIVE"):
        process = start_until_blocked(database, "export", exported)
        database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'catalog-loader' AND datname = current_database()"
        )
        _, said = process.communicate()
    assert (process.returncode, "when it is back, run the same command again\n" in said) == (1, True)
    assert ((exported / MANIFEST).read_text(), beside(exported)) == (before, ["exported"])


def killed_export(database: Database, directory: Path, moment: int) -> bool:
    """An export that kills itself (SIGKILL) before its nth change of a folder; false when it ended before."""
    words = [sys.executable, "-c", KILLING, str(moment), "export", str(directory), "--jobs", "1"]
    done = subprocess.run(words, cwd=ROOT, env=os.environ | {"LOADER_DATABASE_URL": database.loader}, check=False)
    assert done.returncode in (0, -signal.SIGKILL)
    return done.returncode != 0


KILLING = """
import os, signal, sys
from pathlib import Path
from etl import cli, manifest, export_folder
from etl.steps import export
left = int(sys.argv[1])
def before(function):
    def counted(*arguments, **options):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)
    return counted
for name in ("mkdir", "rename", "unlink", "rmdir", "write_text"):
    setattr(Path, name, before(getattr(Path, name)))
export._write, os.fsync = before(export._write), before(os.fsync)
sys.exit(cli.main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    "moments", [range(6, 40, 9), pytest.param(range(1, 40), marks=pytest.mark.long)], ids=["some", "all"]
)
def test_an_export_that_is_killed_at_any_moment_loses_nothing(
    database: Database, exported: Path, moments: range
) -> None:
    export(database, exported)
    old, part = (exported.with_name(f"exported.export-{name}") for name in ("old", "part"))
    counts = {True: 0, False: 0}
    for moment in moments:
        killed = killed_export(database, exported, moment)
        counts[killed] += 1
        assert any((folder / "skus.csv").exists() and read_manifest(folder) for folder in (exported, old)), moment
        if part.exists():
            is_whole = (part / "features.csv").exists() and "features.csv" in (part / MANIFEST).read_text()
            assert run(database, "load", part, "--check").status == (0 if is_whole else 2), moment
        export(database, exported)
        assert beside(exported) == ["exported"], moment
        assert run(database, "load", exported, "--check").status == 0
    assert counts[True] >= 3
    assert counts[False] >= 1


def test_an_export_that_fails_brings_the_one_before_back(database: Database, exported: Path) -> None:
    export(database, exported)
    before = (exported / MANIFEST).read_text()
    exported.rename(exported.with_name("exported.export-old"))
    with locked(database, "catalog.products", "ACCESS EXCLUSIVE"):
        process = start_until_blocked(database, "export", exported)
        process.terminate()
        process.communicate()
    assert ((exported / MANIFEST).read_text(), beside(exported)) == (before, ["exported"])


def test_an_export_waits_no_longer_for_a_lock_than_its_limit(
    database: Database, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step, "_SETTINGS", ["SET lock_timeout = '50ms'"])
    with locked(database, "catalog.styles", "ACCESS EXCLUSIVE"):
        failed = run(database, "export", exported)
    assert (failed.status, "another session holds a lock" in failed.last_line) == (1, True)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        ("", "manifest.json is not JSON: export again, or remove it"),
        ('{"kind": "export"}', "is an export that was cut: export again, or copy the whole folder again"),
        ('{"kind": "export", "files": 5}', "is an export that was cut"),
        ('{"kind": "export", "files": {"skus.csv": {"rows": 1}}}', "is an export that was cut"),
    ],
)
def test_a_load_refuses_an_export_without_its_whole_manifest(
    database: Database, exported: Path, spoil: str, message: str
) -> None:
    export(database, exported)
    (exported / MANIFEST).write_text(spoil)
    refused = run(database, "load", exported, "--check")
    assert (refused.status, message in refused.last_line) == (2, True)


def test_a_load_refuses_a_file_that_was_cut_on_its_way(database: Database, exported: Path) -> None:
    export(database, exported)
    content = (exported / "skus.csv").read_bytes()
    (exported / "skus.csv").write_bytes(content[:-100])
    refused = run(database, "load", exported, "--check")
    assert refused.status == 2
    assert (
        f"skus.csv has {len(content) - 100:,} bytes, and manifest.json says {len(content):,}: copy it again"
        in refused.last_line
    )
    (exported / MANIFEST).unlink()
    assert run(database, "load", exported, "--check").status == 0


def test_a_manifest_of_something_else_is_none_of_an_export(tmp_path: Path) -> None:
    for content in ("[]", "5", json.dumps({"name": "shop", "files": 5})):
        (tmp_path / MANIFEST).write_text(content)
        assert read_manifest(tmp_path) is None


def test_an_export_that_its_disk_cannot_hold_is_refused(
    database: Database, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=100))
    refused = run(database, "export", exported)
    assert (refused.status, "has 0.0 MB free: make room" in refused.last_line) == (2, True)
    assert beside(exported) == []
