-- Tables that the API reads: one row for each reply or card, JSON as text, made by ../documents/*.sql. The columns *_rows count the rows of the
-- files that are in a reply. `verify` adds them up: a row that is in no reply has no product.

-- A product reply is head || ',"features":' || features || '}', a list element head || '}'. Where the load declares fields of products, both
-- end with ',"fields":' || fields before the brace; fields is NULL where it declares none.
-- The times, which are also in head, and the hash of the content are first: comparing them reads no text.
CREATE TABLE {schema}.product_documents (
  id int NOT NULL,
  load_id int NOT NULL,
  created_at timestamptz NOT NULL, -- when the catalog first had the product
  updated_at timestamptz NOT NULL, -- when its content changed last
  content bigint NOT NULL, -- hash of all of its replies, without times and quantities, as if no related product was hidden
  head text NOT NULL,
  features text NOT NULL,
  related text NOT NULL,
  feature_rows int NOT NULL,
  related_rows int NOT NULL,
  fields text
) WITH (autovacuum_enabled = false);

-- body is compressed with lz4 where the server has it (etl/steps/documents.py), else with pglz: 1.1 GB for a million products
-- instead of 2.3, which would take as much time to write as pglz takes to compress.
CREATE TABLE {schema}.styles_documents (
  id int NOT NULL,
  load_id int NOT NULL,
  digest bigint NOT NULL, -- hash of the styles in body, with quantities
  body text NOT NULL,
  style_rows int NOT NULL,
  photo_rows int NOT NULL,
  sku_rows int NOT NULL
) WITH (autovacuum_enabled = false);

-- A card, which is what a grid shows of a product, is head || ',"offer":' || offer || '}'. price is offer.price, for filters and sorts.
-- fields are those of products that cards have, as those of a reply.
CREATE TABLE {schema}.cards (
  id int NOT NULL,
  load_id int NOT NULL,
  price numeric NOT NULL,
  head text NOT NULL,
  offer text NOT NULL,
  fields text
) WITH (autovacuum_enabled = false);

-- How the replies differ from what was served when they were made, until `swap` logs it. kind is NULL where only the card differs.
CREATE TABLE {schema}.changes (
  id int NOT NULL,
  kind text,
  has_styles boolean NOT NULL,
  has_card boolean NOT NULL
) WITH (autovacuum_enabled = false);

-- Blocks of 64 products by id with their counts: they turn a page number into a position without counting rows.
CREATE TABLE {schema}.page_blocks (
  first_id int PRIMARY KEY,
  rows int NOT NULL CHECK (rows >= 0),
  load_id int NOT NULL
) WITH (autovacuum_enabled = false);

-- The products that were written since the load, with the numbers of the last commits that changed them (catalog_log.append). The
-- stored styles reply is older than the rows while built_seq < styles_seq.
CREATE TABLE {schema}.product_state (
  id int PRIMARY KEY,
  product_seq bigint NOT NULL,
  styles_seq bigint NOT NULL,
  built_seq bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- The replies that the load made of products and cards that were written since, with their rows; NULL: there was none.
-- documents/rebuild.sql saves them before the first change. A search has what the load had, so it must know what a product was to know
-- where it is no longer.
CREATE TABLE {schema}.loaded_products (
  id int PRIMARY KEY,
  head text,
  features text,
  body text,
  feature_rows int,
  related_rows int,
  style_rows int,
  photo_rows int,
  sku_rows int,
  fields text
);
CREATE TABLE {schema}.loaded_cards (id int PRIMARY KEY, offer text);

-- Products whose last commit only hid or published one, themselves or one that they name as related. No load loses a write of them.
CREATE TABLE {schema}.shown_only (
  id int PRIMARY KEY,
  seq bigint NOT NULL -- that commit, as product_state has it
);

-- Documents of hidden products, made by documents/rebuild.sql, as those in product_documents and styles_documents of others. A load makes documents of all
-- products, and hides them before it is served.
CREATE TABLE {schema}.hidden_documents (
  id int PRIMARY KEY,
  load_id int NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  content bigint NOT NULL,
  head text NOT NULL,
  features text NOT NULL,
  related text NOT NULL,
  fields text,
  digest bigint NOT NULL,
  body text NOT NULL,
  feature_rows int NOT NULL,
  related_rows int NOT NULL,
  style_rows int NOT NULL,
  photo_rows int NOT NULL,
  sku_rows int NOT NULL
);
