-- What the API reads: one row a reply, JSON as text, written by ../documents/*.sql. The columns *_rows say how many
-- rows of the files stand in a reply: verify adds them up, and a row in no reply is one whose product is not there.

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

-- body is compressed by lz4 where the server has it (etl/steps/documents.py), else by pglz: 1.1 GB for a million products in
-- place of 2.3, which would cost as much time to write as pglz takes.
CREATE TABLE {schema}.styles_documents (
  id int NOT NULL,
  load_id int NOT NULL,
  body text NOT NULL,
  style_rows int NOT NULL,
  photo_rows int NOT NULL,
  sku_rows int NOT NULL
) WITH (autovacuum_enabled = false);

-- Runs of 64 products by id with their count: a page number becomes a place without counting rows.
CREATE TABLE {schema}.page_blocks (
  first_id int PRIMARY KEY,
  rows int NOT NULL CHECK (rows >= 0),
  load_id int NOT NULL
) WITH (autovacuum_enabled = false);
