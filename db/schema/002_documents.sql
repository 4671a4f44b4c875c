-- What the API reads: one row for each reply or card, JSON as text, made by ../documents/*.sql. The columns *_rows count the rows of the
-- files that are in a reply. `verify` adds them up: a row that is in no reply has no product.

-- A product reply is head || ',"features":' || features || '}', a list element head || '}'.
CREATE TABLE {schema}.product_documents (
  id int NOT NULL,
  load_id int NOT NULL,
  head text NOT NULL,
  features text NOT NULL,
  related text NOT NULL,
  feature_rows int NOT NULL,
  related_rows int NOT NULL
) WITH (autovacuum_enabled = false);

-- body is compressed with lz4 where the server has it (etl/steps/documents.py), else with pglz: 1.1 GB for a million products
-- instead of 2.3, which would take as much time to write as pglz takes to compress.
CREATE TABLE {schema}.styles_documents (
  id int NOT NULL,
  load_id int NOT NULL,
  body text NOT NULL,
  style_rows int NOT NULL,
  photo_rows int NOT NULL,
  sku_rows int NOT NULL
) WITH (autovacuum_enabled = false);

-- What a grid shows of a product: a card is head || ',"offer":' || offer || '}'. price is offer.price, for filters and sorts.
CREATE TABLE {schema}.cards (
  id int NOT NULL,
  load_id int NOT NULL,
  price numeric NOT NULL,
  head text NOT NULL,
  offer text NOT NULL
) WITH (autovacuum_enabled = false);

-- Blocks of 64 products by id with their counts: they turn a page number into a position without counting rows.
CREATE TABLE {schema}.page_blocks (
  first_id int PRIMARY KEY,
  rows int NOT NULL CHECK (rows >= 0),
  load_id int NOT NULL
) WITH (autovacuum_enabled = false);
