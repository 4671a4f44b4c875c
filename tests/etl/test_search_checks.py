"""Each check of the search finds its defect."""

import pytest
from support import Catalog, Database, load, run

_WHOLE = "every set of the search has as many products as it says"
_COUNTS = "the search counts as many products"
_SAMPLE = "a sample of products is in every set of the search"
_LISTS = "the lists of the search are what db/search makes now"
_ORDERS = "the search has each product once in each order"
_FACETS = "the search lists each value of a facet"


def _list(name: str, body: str) -> str:
    return f"UPDATE {{s}}.search_blobs SET body = {body} WHERE name = '{name}'"


_TABLES = ("search_sets", "search_blobs")


@pytest.fixture(scope="module")
def made(database: Database, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """A load in staging with a search that has sets of both forms, and a copy of it."""
    catalog = Catalog(tmp_path_factory.mktemp("made") / "csv")
    catalog.grow(5000)
    catalog.append("product.csv", '6001,"zebra Größe","s","d","Hats",1\n6002,"Aard vark","s","d","Caps",0.5\n')
    catalog.append("styles.csv", '6001,6002,"Red",0.4,0.5,1\n')
    for step in (["prepare"], ["copy", catalog.directory], ["index"], ["documents"], ["search"]):
        assert run(database, *step).status == 0
    for table in _TABLES:
        database.execute(f"CREATE TABLE public.{table} AS TABLE catalog_staging.{table}")
    return database


@pytest.fixture
def sound(made: Database) -> Database:
    """The load as it was made."""
    for table in _TABLES:
        made.execute(
            f"TRUNCATE catalog_staging.{table}; INSERT INTO catalog_staging.{table} SELECT * FROM public.{table}"
        )
    made.execute("UPDATE catalog_meta.loads SET state = 'running', step = 'search'")
    return made


@pytest.mark.parametrize(
    ("defect", "title"),
    [
        ("UPDATE {s}.search_sets SET rows = rows + 1 WHERE key = 'n:vark'", _WHOLE),
        ("UPDATE {s}.search_sets SET bits = set_bit(bits, 7, 1 - get_bit(bits, 7)) WHERE key = 'n:name'", _WHOLE),
        ("UPDATE {s}.search_sets SET load_id = 0 WHERE key = 'n:vark'", _WHOLE),
        ("DELETE FROM {s}.search_blobs WHERE name = 'facets'", _WHOLE),
        ("DELETE FROM {s}.search_blobs WHERE name = 'language'", _WHOLE),
        ("DELETE FROM {s}.search_blobs", _WHOLE),
        ("DELETE FROM {s}.search_sets", _COUNTS),
        ("DELETE FROM {s}.search_sets WHERE key = 'f:category=Caps'", _COUNTS),
        ("DELETE FROM {s}.search_sets WHERE key = 'f:feature.Fabric=Canvas'", _COUNTS),
        ("DELETE FROM {s}.search_sets WHERE key = 'f:on_sale'", _COUNTS),
        ("DELETE FROM {s}.search_sets WHERE key = 'f:in_stock'", _COUNTS),
        ("DELETE FROM {s}.search_sets WHERE key = 'm:hats'", _SAMPLE),
        ("DELETE FROM {s}.search_sets WHERE key = 'xa:nam'", _SAMPLE),
        ("DELETE FROM {s}.search_sets WHERE key = 'f:stock.size=XL'", _SAMPLE),
        (
            "UPDATE {s}.search_sets SET rows = 65536, bits = decode(repeat('ff', 8192), 'hex') WHERE key LIKE 'xn:_'",
            _SAMPLE,
        ),
        (_list("ids", "overlay(body PLACING int4send(7) FROM 5)"), _LISTS),
        (_list("price_order", "overlay(body PLACING substr(body, 1, 4) FROM 5)"), _ORDERS),
        (_list("price_order", "substr(body, 5) || substr(body, 1, 4)"), _ORDERS),
        (_list("price_order", "substr(body, 5)"), _ORDERS),
        (_list("prices", "substr(body, 2)"), _LISTS),
        (_list("words", "substr(body, 2)"), _LISTS),
        (_list("name_order", "overlay(body PLACING substr(body, 1, 4) FROM 5)"), _ORDERS),
        (_list("name_order", "substr(body, 5) || substr(body, 1, 4)"), _ORDERS),
        (_list("name_order", "substr(body, 5)"), _ORDERS),
        (_list("facets", "convert_to(replace(convert_from(body, 'UTF8'), 'Caps', 'Cups'), 'UTF8')"), _FACETS),
    ],
)
def test_a_defect_of_the_search_is_found(sound: Database, defect: str, title: str) -> None:
    sound.execute(defect.format(s="catalog_staging"))
    done = run(sound, "verify")
    assert (done.status, f"FAIL {title}" in done.stderr) == (1, True), done.stderr


def test_a_sound_search_passes_whatever_is_sampled(sound: Database) -> None:
    for _ in range(5):
        assert run(sound, "verify").status == 0


def test_a_served_load_of_an_earlier_release_has_no_language(database: Database, catalog: Catalog) -> None:
    assert load(database, catalog, "--again").status == 0
    database.execute("DELETE FROM catalog.search_blobs WHERE name = 'language'")
    assert run(database, "verify", "--served").status == 0
