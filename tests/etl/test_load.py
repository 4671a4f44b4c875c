"""Whole loads through the command line: what they serve and report, and what they leave unchanged."""

import csv
import gzip
import json
import os
import signal
from pathlib import Path

import psycopg
import pytest
from support import (
    HOLD,
    Catalog,
    Database,
    blocked_run,
    hold_ledger_row,
    load,
    locked,
    release_ledger_rows,
    run,
    run_process,
    served,
    start_until_blocked,
    wait_until,
)

from etl.database import LOADER_LOCK


def test_the_replies_have_the_shape_of_the_contract(database: Database, catalog: Catalog) -> None:
    assert run_process(database, "load", catalog.directory, "--campus", "hr-sf").status == 0
    [(started,)] = database.query(
        "SELECT to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') FROM catalog_meta.loads"
    )
    assert served(database)[0] == (
        1,
        '{"id":1,"campus":"hr-sf","name":"A","slogan":"a","description":"aa","category":"Hats",'
        f'"default_price":"140.00","created_at":"{started}","updated_at":"{started}"',
        '[{"feature":"Fit","value":"Slim"},{"feature":"UV","value":null}]',
        "[3,2,3,1]",
    )
    bodies = dict(database.query("SELECT id, body FROM catalog.styles_documents"))
    assert bodies[1] == (
        '{"product_id":"1","results":[{"style_id":1,"name":"Red","original_price":"140.00","sale_price":null,'
        '"default?":true,"photos":[{"thumbnail_url":"t2","url":"u2"},{"thumbnail_url":"t1","url":"u1"}],'
        '"skus":{"1":{"quantity":0,"size":"7.5"},"2":{"quantity":5,"size":"M"}}},'
        '{"style_id":2,"name":"Blue","original_price":"140.00","sale_price":"100.00","default?":false,'
        '"photos":[{"thumbnail_url":"t3","url":"u3"}],"skus":{"3":{"quantity":9,"size":"One Size"}}}]}'
    )
    assert json.loads(str(bodies[2]))["results"][0]["photos"] == [{"thumbnail_url": None, "url": None}]
    assert json.loads(str(bodies[2]))["results"][0]["skus"] == {"null": {"quantity": None, "size": None}}
    assert bodies[3] == '{"product_id":"3","results":[]}'


def test_prices_show_at_least_cents_and_never_less_than_they_are(database: Database, catalog: Catalog) -> None:
    # In the last three, one of the groups of four digits in which a numeric is sent is zero.
    given = ["140", "49.5", "19.999", "10000.5", "5000000000.01", "0.00001"]
    rows = [f'{place},"A","a","aa","Hats",{price}\n' for place, price in enumerate(given, 1)]
    catalog.write("product.csv", "id,name,slogan,description,category,default_price\n" + "".join(rows))
    assert load(database, catalog).status == 0
    prices = [json.loads(f"{head}}}")["default_price"] for _, head, *_ in served(database)]
    assert prices == ["140.00", "49.50", "19.999", "10000.50", "5000000000.01", "0.00001"]


def test_every_row_read_is_loaded_repaired_or_rejected(database: Database, catalog: Catalog) -> None:
    catalog.append("skus.csv", '4,1,"M", 5\n5,1,"M",x\n1,1,"M",5\n6,77,"M",5\n')
    done = load(database, catalog, "--max-reject", 50)
    assert done.status == 0
    assert database.query(
        "SELECT sum(rows_read), sum(rows_loaded), sum(rows_repaired), sum(rows_rejected) FROM catalog_meta.chunks "
        "WHERE file = 'skus.csv' AND load_id = (SELECT max(id) FROM catalog_meta.loads)"
    ) == [(7, 3, 1, 3)]
    assert "bad_quantity 1, duplicate 1, orphan 1" in done.stdout


def test_rejected_rows_are_written_with_file_line_reason_and_raw_line(database: Database, catalog: Catalog) -> None:
    catalog.append("skus.csv", b'4,1,"a ""b""\xff",5\n5,1,"M",x\n')
    load(database, catalog, "--max-reject", 50)
    with Path(catalog.directory / "rejects/skus.rejects.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["file"], row["line"], row["reason"]) for row in rows] == [
        ("skus.csv", "5", "invalid_utf8"),
        ("skus.csv", "6", "bad_quantity"),
    ]
    assert [row["raw"] for row in rows] == ['4,1,"a ""b""\\xff",5', '5,1,"M",x']


def test_too_many_rejects_fail_the_load_and_leave_the_served_data(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    before = served(database)
    catalog.append("related.csv", "5,1,0\n")
    done = load(database, catalog, "--max-reject", 19)
    assert done.status == 1
    assert done.last_line.startswith("failed: related.csv: 1 of 5 rows rejected, more than 19 %")
    assert served(database) == before
    assert (catalog.directory / "rejects/related.rejects.csv").exists()


def test_a_raised_ceiling_resumes_the_failed_load(database: Database, catalog: Catalog) -> None:
    catalog.append("product.csv", '9,"A","a","aa","Hats",free\n')
    assert load(database, catalog).status == 1
    done = load(database, catalog, "--max-reject", 30)
    assert done.status == 0
    assert "1 chunks are already committed" in done.stderr


@pytest.mark.parametrize("finished", [["copy"], ["copy", "index", "documents", "search", "verify"]])
def test_a_lowered_ceiling_fails_a_resumed_load(database: Database, catalog: Catalog, finished: list[str]) -> None:
    assert load(database, catalog).status == 0
    before = served(database)
    catalog.append("skus.csv", '9,1,"M",x\n')
    for step in finished:
        files = [catalog.directory, "--max-reject", 50] if step == "copy" else []
        assert run(database, step, *files).status == 0
    done = load(database, catalog)
    assert (done.status, served(database) == before) == (1, True)
    assert done.last_line.startswith("failed: skus.csv: 1 of 4 rows rejected, more than 1 %")
    again = load(database, catalog, "--max-reject", 25)
    assert (again.status, "resumes: " in again.stderr) == (0, True)


def test_a_compressed_file_is_refused_and_nothing_is_touched(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    before = database.query("SELECT * FROM catalog_meta.loads")
    catalog.write("photos.csv", gzip.compress(b"x" * 1000))
    done = load(database, catalog)
    assert done.status == 2
    assert done.last_line.startswith(f"refused: {catalog.directory}/photos.csv is compressed (gzip)")
    assert database.query("SELECT * FROM catalog_meta.loads") == before


def test_a_missing_file_and_a_missing_folder_are_refused(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog, "--campus", "x").status == 0
    (catalog.directory / "skus.csv").unlink()
    assert load(database, catalog).status == 2
    assert run(database, "load", "/nowhere").last_line == (
        "refused: /nowhere does not exist: name the folder that holds the six CSV files"
    )


def test_a_file_of_a_header_only_is_a_table_without_rows(database: Database, catalog: Catalog) -> None:
    catalog.write("related.csv", "id,current_product_id,related_product_id\n")
    assert load(database, catalog).status == 0
    assert served(database)[0][3] == "[]"


def test_a_catalog_without_products_is_not_served(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    before = served(database)
    catalog.write("product.csv", "id,name,slogan,description,category,default_price\n")
    done = load(database, catalog, "--max-reject", 100)
    assert (done.status, "holds no row" in done.last_line) == (1, True)
    assert served(database) == before


def test_a_dry_run_reports_and_needs_no_database(catalog: Catalog) -> None:
    catalog.append("skus.csv", '5,1,"M",x\n')
    rejects = catalog.directory / "rejects"
    done = run(None, "load", catalog.directory, "--dry-run", "--max-reject", 50, "--rejects", rejects)
    assert done.status == 0
    assert "bad_quantity 1" in done.stdout
    assert "bad_quantity" in (rejects / "skus.rejects.csv").read_text()


def test_a_dry_run_touches_no_database(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    before = database.query("SELECT * FROM catalog_meta.loads, catalog_meta.data_version")
    assert load(database, catalog, "--dry-run").status == 0
    assert database.query("SELECT * FROM catalog_meta.loads, catalog_meta.data_version") == before


def test_a_step_that_works_again_after_a_failure_is_running(database: Database, catalog: Catalog) -> None:
    assert run(database, "prepare").status == 0
    assert run(database, "copy", catalog.directory).status == 0
    newest = "FROM catalog_meta.loads ORDER BY id DESC LIMIT 1"
    database.execute(f"UPDATE catalog_meta.loads SET state = 'failed', error = 'x' WHERE id = (SELECT id {newest})")
    with blocked_run(database, "catalog_staging.skus", "ROW EXCLUSIVE", "index") as index:
        assert database.query(f"SELECT state, error {newest}") == [("running", None)]
    assert index.result().status == 0


def test_a_second_loader_is_refused(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    with blocked_run(database, "catalog_meta.loads", "ACCESS EXCLUSIVE", "load", catalog.directory, "--again") as first:
        second = load(database, catalog)
    assert (second.status, "another loader is at work" in second.last_line) == (2, True)
    assert first.result().status == 0


def test_a_missing_database_is_reported_with_the_next_step(catalog: Catalog) -> None:
    assert run(None, "load", catalog.directory).last_line == (
        "refused: no database: set LOADER_DATABASE_URL or give --database-url"
    )
    done = run(None, "load", catalog.directory, "--database-url", "host=/nowhere dbname=x")
    assert (done.status, done.last_line.startswith("failed: PostgreSQL cannot be reached")) == (1, True)


def test_a_step_before_its_turn_is_refused_and_the_next_step_named(database: Database, catalog: Catalog) -> None:
    catalog.append("skus.csv", '9,1,"M",x\n')
    copy = ["copy", catalog.directory, "--rejects", catalog.directory / "rejects"]
    run(database, "prepare")
    assert run(database, *copy).status == 1
    done = run(database, "swap")
    assert (done.status, "run `copy DIR` first" in done.last_line) == (2, True)
    assert run(database, *copy, "--max-reject", 50).status == 0
    for step in ("index", "documents", "search", "verify"):
        done = run(database, "swap")
        assert (done.status, f"run `{step}` first" in done.last_line) == (2, True)
        assert run(database, step).status == 0
    assert run(database, "swap").status == 0


def test_status_shows_the_loads_and_which_one_is_served(database: Database, catalog: Catalog) -> None:
    load(database, catalog)
    [(live,)] = database.query("SELECT max(id) FROM catalog_meta.loads")
    done = run(database, "status")
    assert done.status == 0
    assert f"load {live} is served" in done.stdout


def test_status_shows_whether_the_loader_of_a_load_still_runs(database: Database, catalog: Catalog) -> None:
    def newest() -> str:
        return next(line for line in run(database, "status").stdout.splitlines() if " UTC " in line)

    assert run(database, "prepare").status == 0
    hold_ledger_row(database, "product.csv", chunk=0)
    seen = []
    try:
        with locked(database, HOLD, "ROW EXCLUSIVE"):
            for _ in range(2):
                process = start_until_blocked(database, "load", catalog.directory)
                seen.append(newest())
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                wait_until(lambda: " stopped " in newest(), "the load is shown as stopped")
                # A load that resumes is running again, whatever its state was.
                database.execute("UPDATE catalog_meta.loads SET state = 'failed' WHERE state = 'running'")
    finally:
        release_ledger_rows(database)
    assert [" running " in line for line in seen] == [True, True]
    assert load(database, catalog).status == 0
    assert " live " in newest()


def test_a_loader_of_another_database_makes_no_stopped_load_run(
    server: str, database: Database, catalog: Catalog
) -> None:
    assert load(database, catalog).status == 0
    database.execute("UPDATE catalog_meta.loads SET state = 'running' WHERE state = 'live'")
    shown = []
    for dsn in (server, database.superuser):
        with psycopg.connect(dsn) as loader:
            loader.execute("SELECT pg_advisory_lock(%s)", [LOADER_LOCK])
            shown.append(run(database, "status").stdout)
    assert [(" stopped " in message, " running " in message) for message in shown] == [(True, False), (False, True)]
    database.execute("UPDATE catalog_meta.loads SET state = 'live' WHERE state = 'running'")


def test_one_process_and_small_chunks_give_the_same_rows(database: Database, catalog: Catalog) -> None:
    catalog.grow(1000)
    assert run_process(database, "load", catalog.directory).status == 0
    expected = database.hashes()
    assert load(database, catalog, "--again", "--chunk", 4096).status == 0
    assert database.hashes() == expected
