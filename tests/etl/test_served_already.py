"""Files that are already served are loaded only with --again, or when the served data was dropped."""

from support import Catalog, Database, load, run, served


def test_files_that_are_already_served_are_loaded_only_with_again(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog, "--campus", "older").status == 0
    assert load(database, catalog).status == 0
    before = database.query("SELECT * FROM catalog_meta.loads ORDER BY id")
    [(live,)] = database.query("SELECT id FROM catalog_meta.loads WHERE state = 'live'")
    done = load(database, catalog)
    message = f"load {live} of these very files is already served; --again loads them again"
    assert (done.status, done.last_line) == (0, message)
    assert database.query("SELECT * FROM catalog_meta.loads ORDER BY id") == before
    assert run(database, "unswap").status == 0
    for options in ([], ["--again"], ["--campus", "other"]):
        done = load(database, catalog, *options)
        assert (done.status, "begins" in done.stderr) == (0, True)


def test_a_load_of_what_is_served_resumes_once_it_has_begun(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog).status == 0
    assert run(database, "copy", catalog.directory).status == 0
    done = load(database, catalog)
    assert (done.status, "resumes: " in done.stderr) == (0, True)


def test_dropped_data_is_loaded_again_without_an_option(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog).status == 0
    database.execute("DROP SCHEMA catalog CASCADE")
    assert load(database, catalog).status == 0
    assert served(database)[0][0] == 1
    assert database.query("SELECT id FROM catalog_meta.loads WHERE state = 'previous'") == []


def test_unswap_serves_the_previous_data_after_a_drop(database: Database, catalog: Catalog) -> None:
    for campus in ("older", "newer"):
        assert load(database, catalog, "--campus", campus).status == 0
    database.execute("DROP SCHEMA catalog CASCADE")
    done = run(database, "unswap")
    assert (done.status, "is served again" in done.last_line) == (0, True)
    assert '"campus":"older"' in str(served(database)[0][1])
    assert database.query("SELECT id FROM catalog_meta.loads WHERE state = 'previous'") == []
