"""The queries of `bench -- search` by tantivy in this process. Arguments: DSN, seconds. Prints answers a second."""

import sys
import time
from itertools import cycle

import psycopg

try:
    import tantivy
except ImportError:
    sys.exit(f"tantivy is not installed: {sys.executable} -m pip install tantivy==0.27.0")

values = ("category", "size", "on_sale", "in_stock", "feature")
builder = tantivy.SchemaBuilder().add_text_field("words", index_option="freq").add_float_field("price", fast=True)
for name in values:
    builder.add_text_field(name, tokenizer_name="raw", fast=True)
schema = builder.build()
index = tantivy.Index(schema)
facets = {name: {"terms": {"field": name}} for name in values}
facets |= {"price": {"histogram": {"field": "price", "interval": 50}}}

with psycopg.connect(sys.argv[1]) as connection:
    rows = connection.cursor("rows")
    rows.execute("""SELECT array_to_string(tsvector_to_array(words), ' '), price::float8, ARRAY[category], sizes,
      ARRAY[on_sale::text], ARRAY[in_stock::text], features FROM bench_search.products""")
    with index.writer() as writer:
        for row in rows:
            fields = dict(zip(("words", "price", *values), row, strict=True))
            writer.add_document(tantivy.Document.from_dict(fields, schema))
    queries = connection.execute("SELECT string_to_array(words, ' & '), category FROM bench_search.queries").fetchall()
index.reload()
searcher = index.searcher()

started, answered = time.monotonic(), 0
for words, category in cycle(queries):
    terms = [("words", word) for word in words] + [("category", category)]
    wanted = [(tantivy.Occur.Must, tantivy.Query.term_query(schema, *term)) for term in terms]
    query = tantivy.Query.boolean_query(wanted)
    searcher.search(query, limit=24, count=True)
    searcher.aggregate(query, facets)
    answered += 1
    if time.monotonic() > started + float(sys.argv[2]):
        break
print(answered / (time.monotonic() - started))
