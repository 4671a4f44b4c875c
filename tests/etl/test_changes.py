"""A load changes only what its files change: bytes, times, and the lists of its commit."""

import pytest
from support import Catalog, Database, load, run

PRODUCTS = 100
NEXT = PRODUCTS + 1
LISTS = ("created", "updated", "deleted", "restocked", "cards")
NOTHING: dict[str, list[int]] = {name: [] for name in LISTS}


@pytest.fixture
def grown(catalog: Catalog) -> Catalog:
    """Product 5 has a second style without skus."""
    catalog.grow(PRODUCTS)
    catalog.append("styles.csv", '5001,5,"Second",null,5,0\n')
    return catalog


def edit(catalog: Catalog, file: str, old: str, new: str) -> None:
    """Replaces lines, each of which must be there once."""
    text = (catalog.directory / file).read_text()
    assert text.count(f"\n{old}\n") == 1, (file, old)
    catalog.write(file, text.replace(f"\n{old}\n", f"\n{new}\n" if new else "\n"))


def product(id_: int, name: str = "", text: str = "d" * 50, price: str = "") -> str:
    return f'{id_},"{name or f"Name {id_}"}","s","{text}","Hats",{price or id_}'


def commit(database: Database) -> tuple[object, object, dict[str, list[int]]]:
    """Kind of the last commit, whether it is whole, and its lists."""
    [(kind, is_whole, *lists)] = database.query(
        f"SELECT kind, is_whole, {', '.join(LISTS)} FROM catalog_log.commits ORDER BY seq DESC LIMIT 1"
    )
    return kind, is_whole, dict(zip(LISTS, lists, strict=True))  # type: ignore[arg-type]


def replies(database: Database) -> dict[int, tuple[object, ...]]:
    """Everything that is served of each product."""
    rows = database.query(
        "SELECT id, product.head, features, related, body, card.head, offer, created_at, updated_at "
        "FROM catalog.product_documents AS product JOIN catalog.styles_documents USING (id) JOIN catalog.cards AS card "
        "USING (id) ORDER BY id"
    )
    return {int(str(id_)): tuple(others) for id_, *others in rows}


def times(database: Database, *ids: int) -> list[tuple[object, ...]]:
    """Ids, and for created_at and updated_at, whether the load that is served has set them."""
    return database.query(
        "SELECT product.id, created_at = started_at, updated_at = started_at FROM catalog.product_documents AS product "
        "JOIN catalog_meta.loads ON state = 'live' WHERE product.id = ANY (%s) ORDER BY 1",
        list(ids),
    )


def test_a_reload_of_the_same_files_changes_no_byte_and_lists_nothing(database: Database, grown: Catalog) -> None:
    assert load(database, grown).status == 0
    before = replies(database)
    done = load(database, grown, "--again")
    assert ": 0 products added, 0 changed, 0 restocked, 0 removed" in done.stderr
    assert replies(database) == before
    assert commit(database) == ("load", False, NOTHING)
    [(cursor,)] = database.query("SELECT era || '.' || seq FROM catalog_log.head")
    assert f" is served, commit {cursor}" in run(database, "status").stdout


def change_one_thing_of_many(grown: Catalog) -> None:
    edit(grown, "product.csv", product(1), product(1, price="1.5"))
    edit(grown, "product.csv", product(2), product(2, name="Other"))
    edit(grown, "product.csv", product(3), product(3, text="other"))
    edit(grown, "photos.csv", '8,4,"https://u/8","https://t/8"', '8,4,"https://u/other","https://t/8"')
    edit(grown, "skus.csv", '11,5,"XL",7', '11,5001,"XL",7')
    edit(grown, "skus.csv", '13,6,"XL",7', '13,6,"XL",8')
    edit(grown, "skus.csv", '15,7,"XL",7\n14,7,"XL",7', '15,7,"XL",0\n14,7,"XL",0')
    edit(grown, "skus.csv", '17,8,"XL",7', '17,8,"S",7')
    edit(grown, "related.csv", f"9,9,{NEXT - 9}", "9,9,10")
    edit(grown, "features.csv", '10,10,"Fabric","Canvas"', "")
    first, second = ('22,11,"https://u/22","https://t/22"', '23,11,"https://u/23","https://t/23"')
    edit(grown, "photos.csv", f"{second}\n{first}", f"{first}\n{second}")
    grown.append("product.csv", product(NEXT) + "\n")
    # Product 12 is removed, also from the related list of product 89.
    edit(grown, "product.csv", product(12), "")
    edit(grown, "styles.csv", '12,12,"Style",null,12.25,1', "")
    edit(grown, "features.csv", '12,12,"Fabric","Canvas"', "")


def test_a_load_lists_what_it_changes_and_moves_times_for_content_alone(database: Database, grown: Catalog) -> None:
    assert load(database, grown).status == 0
    before = replies(database)
    change_one_thing_of_many(grown)
    done = load(database, grown, "--max-reject", 5)
    assert ": 1 product added, 10 changed, 2 restocked, 1 removed" in done.stderr, done.stderr
    updated = [1, 2, 3, 4, 5, 8, 9, 10, 11, NEXT - 12]
    lists = {
        "created": [NEXT],
        "updated": updated,
        "deleted": [12],
        "restocked": [6, 7],
        "cards": [1, 2, 7, 8, 11, NEXT],
    }
    assert commit(database) == ("load", False, lists)
    after = replies(database)
    others = before.keys() - {*updated, 6, 7, 12}
    assert {id_: after[id_] for id_ in others} == {id_: before[id_] for id_ in others}
    assert times(database, 6, *updated, NEXT) == sorted(
        [(6, False, False), (NEXT, True, True), *((id_, False, True) for id_ in updated)]
    )
    assert run(database, "verify", "--served").status == 0


def test_a_load_that_takes_back_stock_lists_products_whose_replies_were_still_stale(
    database: Database, grown: Catalog
) -> None:
    assert load(database, grown, "--again").status == 0
    database.execute(
        "UPDATE catalog.skus SET quantity = quantity + 1 WHERE style_id = (SELECT id FROM catalog.styles WHERE "
        "product_id = 6 LIMIT 1); SELECT catalog_log.append('stock', 1, restocked => '{6}')"
    )
    assert load(database, grown, "--again", "--drop-writes").status == 0
    assert commit(database) == ("load", False, {**NOTHING, "restocked": [6]})


def test_an_unswap_lists_the_same_in_reverse_and_a_second_one_undoes_it(database: Database, grown: Catalog) -> None:
    assert load(database, grown, "--again").status == 0
    before = replies(database)
    change_one_thing_of_many(grown)
    assert load(database, grown, "--max-reject", 5).status == 0
    _, _, lists = commit(database)
    done = run(database, "unswap")
    assert ": 1 product added, 10 changed, 2 restocked, 1 removed" in done.stderr
    cards = [id_ for id_ in [*lists["cards"], 12] if id_ != NEXT]
    reverse = {**lists, "created": [12], "deleted": [NEXT], "cards": sorted(cards)}
    assert commit(database) == ("unswap", False, reverse)
    assert replies(database) == before
    assert run(database, "unswap").status == 0
    assert commit(database) == ("unswap", False, lists)


def test_above_a_fifth_of_the_products_a_commit_says_that_any_may_have_changed(
    database: Database, grown: Catalog
) -> None:
    assert load(database, grown, "--again").status == 0
    before = replies(database)
    for id_ in range(1, 22):
        edit(grown, "skus.csv", f'{2 * id_},{id_},"XL",7', f'{2 * id_},{id_},"XL",5')
    done = load(database, grown)
    assert ": 0 products added, 0 changed, 21 restocked, 0 removed" in done.stderr
    assert commit(database) == ("load", True, NOTHING)
    assert [times_[-2:] for times_ in replies(database).values()] == [times_[-2:] for times_ in before.values()]
    assert run(database, "unswap").status == 0
    assert commit(database) == ("unswap", True, NOTHING)


@pytest.mark.parametrize(
    "before",
    [
        "DROP SCHEMA catalog CASCADE",
        "ALTER TABLE catalog.product_documents DROP created_at, DROP updated_at, DROP content; "
        "ALTER TABLE catalog.styles_documents DROP digest",
    ],
    ids=["nothing", "a catalog of an earlier release"],
)
def test_a_load_that_replaces_nothing_comparable_is_whole_and_has_its_own_times(
    database: Database, grown: Catalog, before: str
) -> None:
    assert load(database, grown, "--again").status == 0
    database.execute(before)
    done = load(database, grown, "--again")
    assert (done.status, "added" in done.stderr) == (0, False)
    assert commit(database) == ("load", True, NOTHING)
    assert times(database, 1, PRODUCTS) == [(1, True, True), (PRODUCTS, True, True)]
    if "ALTER" in before:
        assert run(database, "unswap").status == 0
        assert commit(database) == ("unswap", True, NOTHING)


def test_the_time_of_a_change_grows_although_the_clock_was_set_back(database: Database, grown: Catalog) -> None:
    assert load(database, grown, "--again").status == 0
    database.execute("UPDATE catalog.product_documents SET updated_at = '2100-01-01' WHERE id IN (1, 2)")
    edit(grown, "product.csv", product(1), product(1, name="Other"))
    assert load(database, grown).status == 0
    assert database.query(
        "SELECT id, to_char(updated_at, 'YYYY-MM-DD HH24:MI:SS.MS') FROM catalog.product_documents "
        "WHERE updated_at > '2099-01-01' ORDER BY 1"
    ) == [(1, "2100-01-01 00:00:00.001"), (2, "2100-01-01 00:00:00.000")]


def test_a_load_that_was_compared_with_what_is_no_longer_served_makes_its_documents_again(
    database: Database, grown: Catalog
) -> None:
    assert load(database, grown, "--again").status == 0
    edit(grown, "product.csv", product(3), product(3, name="Newer"))
    assert load(database, grown).status == 0
    for step in (["copy", grown.directory], ["index"], ["documents"], ["search"], ["verify"]):
        assert run(database, *step).status == 0
    assert run(database, "unswap").status == 0
    refused = run(database, "swap")
    assert (refused.status, "run `documents` first" in refused.last_line) == (2, True)
    done = load(database, grown)
    assert (done.status, "resumes: " in done.stderr) == (0, True)
    assert commit(database) == ("load", False, {**NOTHING, "updated": [3], "cards": [3]})
    assert times(database, 2, 3) == [(2, False, False), (3, False, True)]
