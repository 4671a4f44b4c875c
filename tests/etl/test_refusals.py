"""Missing rights, folders, files and disk are reported in one line with the next step, before a load begins."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from support import Catalog, Database, load, run

from etl.database import connection
from etl.errors import RUN_ROLES, Refused
from etl.limits import check_disk


@contextmanager
def changed(database: Database, change: str, back: str) -> Iterator[None]:
    database.execute(change)
    try:
        yield
    finally:
        database.execute(back)


def assert_one_line(stderr: str, message: str) -> None:
    lines = stderr.strip().splitlines()
    assert message in lines[-1]
    assert not [line for line in lines if line.startswith(("Traceback", "  File"))]


def test_a_missing_right_to_create_schemas_is_reported_with_the_roles_to_run(
    database: Database, catalog: Catalog
) -> None:
    [(name,)] = database.query("SELECT current_database()")
    grant = f'CREATE ON DATABASE "{name}"'
    with changed(database, f"REVOKE {grant} FROM catalog_owner", f"GRANT {grant} TO catalog_owner"):
        done = load(database, catalog)
    assert done.status == 1
    assert_one_line(done.stderr, f"may not create schemas here: {RUN_ROLES}")


def test_a_ledger_of_another_owner_is_reported_with_the_roles_to_run(database: Database, catalog: Catalog) -> None:
    assert run(database, "prepare").status == 0
    schema = "ALTER SCHEMA catalog_meta OWNER TO"
    with changed(database, f"{schema} CURRENT_USER", f"{schema} catalog_owner"):
        done = load(database, catalog)
    assert done.status == 1
    assert_one_line(done.stderr, "this role may not load (permission denied for schema catalog_meta ")
    assert done.last_line.endswith(RUN_ROLES)


def test_a_read_only_server_is_reported(database: Database, catalog: Catalog) -> None:
    [(name,)] = database.query("SELECT current_database()")
    setting = f'ALTER DATABASE "{name}"'
    with changed(
        database,
        f"{setting} SET default_transaction_read_only = on",
        f"BEGIN READ WRITE; {setting} RESET default_transaction_read_only; COMMIT",
    ):
        done = load(database, catalog)
    assert done.status == 1
    assert_one_line(done.stderr, "in a read-only transaction): load on the primary")


def test_a_role_that_may_not_load_is_reported(database: Database, catalog: Catalog) -> None:
    done = run(Database(database.superuser, database.api, database.api), "load", catalog.directory)
    assert done.status == 1
    assert_one_line(done.stderr, RUN_ROLES)


def test_a_wrong_password_is_reported(database: Database, catalog: Catalog) -> None:
    wrong = make_conninfo(database.loader, password="wrong")
    done = run(Database(database.superuser, wrong, wrong), "load", catalog.directory)
    assert done.status == 1
    assert_one_line(done.stderr, "correct user and password in LOADER_DATABASE_URL")


@pytest.mark.parametrize("command", [["load"], ["load", "--dry-run"], ["copy"]], ids=" ".join)
def test_rejected_rows_without_a_place_are_refused_at_the_start(
    database: Database, catalog: Catalog, command: list[str]
) -> None:
    occupied = catalog.directory / "product.csv"
    done = run(database, *command, catalog.directory, "--rejects", occupied)
    assert done.status == 2
    assert_one_line(done.stderr, "name another --rejects")


def test_steps_that_read_no_rows_need_no_place_for_rejected_ones(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog).status == 0
    assert load(database, catalog, "--again").status == 0
    for step in ("verify", "unswap"):
        done = run(database, step, "--rejects", catalog.directory / "product.csv")
        assert done.status == 0, done.stderr


def test_a_campus_or_folder_name_that_is_not_utf8_is_refused(database: Database, catalog: Catalog) -> None:
    name = os.fsdecode(b"hr-\xff")
    for dry in ([], ["--dry-run"]):
        done = load(database, catalog, "--campus", name, *dry)
        assert done.status == 2
        assert_one_line(done.stderr, "the campus is not UTF-8")
    folder = catalog.directory.rename(catalog.directory.with_name(name))
    done = run(database, "load", folder)
    assert done.status == 2
    assert_one_line(done.stderr, "is not UTF-8: give the folder another name")


def test_a_campus_with_a_line_end_is_refused_at_the_start(database: Database, catalog: Catalog) -> None:
    done = load(database, catalog, "--campus", "hr-lax\r")
    assert done.status == 2
    assert_one_line(done.stderr, "has a line end: ")


def test_an_empty_campus_is_the_default_in_the_shell_and_refused_as_an_option(
    database: Database, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    for dry in ([], ["--dry-run"]):
        done = load(database, catalog, "--campus", "", *dry)
        assert done.status == 2
        assert_one_line(done.stderr, "the campus is empty or has a line end: ")
    monkeypatch.setenv("CAMPUS", "")
    assert load(database, catalog).status == 0
    campuses = "SELECT DISTINCT (head || '}')::json->>'campus' FROM catalog.product_documents"
    assert database.query(campuses) == [("hr-lax",)]


def test_a_file_that_cannot_be_read_is_refused(database: Database, catalog: Catalog) -> None:
    (catalog.directory / "skus.csv").unlink()
    (catalog.directory / "skus.csv").mkdir()
    done = load(database, catalog)
    assert done.status == 2
    assert_one_line(done.stderr, "skus.csv cannot be read")


def test_a_column_that_is_missing_is_refused(database: Database, catalog: Catalog) -> None:
    catalog.write("skus.csv", "id,styleId,size\n1,1,M\n")
    done = load(database, catalog)
    assert done.status == 2
    assert_one_line(done.stderr, "skus.csv: the header lacks quantity; expected id,styleid,size,quantity")


def test_a_folder_that_cannot_be_looked_at_is_refused(database: Database) -> None:
    done = run(
        database, "load", "/" + 300 * "x"
    )  # the system reports another error than "not found", as for a folder of another user
    assert done.status == 2
    assert_one_line(done.stderr, "name the one that holds the six CSV files")


@contextmanager
def nobody() -> Iterator[None]:
    """Acts as another user than root, which sees every folder."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_data_directory_of_another_user_is_not_seen_and_refuses_nothing(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "data").mkdir(parents=True)
    closed.chmod(0)
    server = SimpleNamespace(execute=lambda *_: SimpleNamespace(fetchone=lambda: (str(closed / "data"), 0)))
    try:
        with nobody():
            with pytest.raises(PermissionError):
                (closed / "data").stat()
            check_disk(server, 1 << 60, "catalog_staging")
    finally:
        closed.chmod(0o700)  # otherwise an ordinary user could not delete it


@pytest.mark.parametrize(
    ("address", "asked_from", "is_here"),
    [("NULL", "NULL", True), ("'10.0.0.1'", "'10.0.0.1'", True), ("'10.0.0.1'", "'10.0.0.2'", False)],
)
def test_only_the_disk_of_a_server_on_this_machine_is_looked_at(
    database: Database, monkeypatch: pytest.MonkeyPatch, address: str, asked_from: str, is_here: bool
) -> None:
    """The data directory of a remote server may also exist here."""
    looked: list[str] = []
    monkeypatch.setattr(shutil, "disk_usage", lambda path: looked.append(path) or SimpleNamespace(free=0))
    with psycopg.connect(
        database.superuser
    ) as opened:  # one transaction that is rolled back: no other test sees the schema
        opened.execute("CREATE SCHEMA addresses")
        for name, value in (("server", address), ("client", asked_from)):
            opened.execute(f"CREATE FUNCTION addresses.inet_{name}_addr() RETURNS inet RETURN {value}::inet")
        opened.execute("SET LOCAL search_path = addresses, pg_catalog")
        if is_here:
            with pytest.raises(Refused, match="make room"):
                check_disk(opened, 1 << 60, "catalog_staging")
        else:
            check_disk(opened, 1 << 60, "catalog_staging")
        opened.rollback()
    assert len(looked) == is_here


def test_the_disk_of_a_stopped_load_counts_as_free(
    database: Database, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog.grow(500)
    assert run(database, "prepare").status == 0
    assert run(database, "copy", catalog.directory).status == 0
    files = sum(file.stat().st_size for file in catalog.directory.glob("*.csv"))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=files * 5 - 1000))
    catalog.append("features.csv", '900001,1,"New","feature"\n')
    assert run(database, "copy", catalog.directory).status == 0
    database.execute("DROP SCHEMA catalog_staging CASCADE")
    done = run(database, "copy", catalog.directory)
    assert (done.status, done.last_line.endswith(f" has {files * 5 / 1e6:.1f} MB free: make room")) == (2, True)


def test_the_disk_of_a_stopped_load_includes_its_indexes(
    database: Database, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog.grow(500)
    for step in (["prepare"], ["copy", catalog.directory], ["index"]):
        assert run(database, *step).status == 0
    [(held,)] = database.query(
        "SELECT sum(pg_total_relation_size(relid))::bigint FROM pg_stat_all_tables WHERE schemaname = 'catalog_staging'"
    )
    room = {"free": 0}
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(**room))
    files = (int(str(held)) + 5000) // 53 * 10
    needed = files * 56 // 10  # 5.6 bytes for each byte of the files
    with connection(database.loader) as opened:
        room["free"] = needed - int(str(held))
        check_disk(opened, files, "catalog_staging")
        room["free"] -= 1
        with pytest.raises(Refused, match="make room"):
            check_disk(opened, files, "catalog_staging")
