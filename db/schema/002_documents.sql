-- Tables that the API reads: one row for each reply or card, JSON as text, made by ../documents/*.sql. `verify` adds up the
-- columns *_rows: a row of the files that is in no reply has no product.

-- A product reply is head || ',"features":' || features || '}', a list element head || '}'. Both end with
-- ',"fields":' || fields before the brace where fields is not null.
-- The times, which are also in head, and the hash of the content are first: comparing them reads no text.
CREATE TABLE {schema}.product_documents (
  id int NOT NULL,
  load_id int NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  content bigint NOT NULL,
  head text NOT NULL,
  features text NOT NULL,
  related text NOT NULL,
  feature_rows int NOT NULL,
  related_rows int NOT NULL,
  fields text
) WITH (autovacuum_enabled = false);
COMMENT ON TABLE {schema}.product_documents IS 'Replies of products that are not hidden';
COMMENT ON COLUMN {schema}.product_documents.id IS 'Number of the product';
COMMENT ON COLUMN {schema}.product_documents.load_id IS 'The load that made it, or that was served when a write made it';
COMMENT ON COLUMN {schema}.product_documents.created_at IS 'When the catalog first had the product';
COMMENT ON COLUMN {schema}.product_documents.updated_at IS 'When its content changed last';
COMMENT ON COLUMN {schema}.product_documents.content IS 'Hash of all its replies, without times and quantities, as if no related product was hidden';
COMMENT ON COLUMN {schema}.product_documents.head IS 'The reply up to its features, and the list element, without the last brace';
COMMENT ON COLUMN {schema}.product_documents.features IS 'Features as a JSON array';
COMMENT ON COLUMN {schema}.product_documents.related IS 'The related reply: ids of products that are not hidden';
COMMENT ON COLUMN {schema}.product_documents.feature_rows IS 'Rows of features.csv in the reply';
COMMENT ON COLUMN {schema}.product_documents.related_rows IS 'Rows of related.csv in the reply';
COMMENT ON COLUMN {schema}.product_documents.fields IS 'Fields as a JSON object, the last member of both; null: the load declares none';

-- body is compressed with lz4 where the server has it (etl/steps/documents.py), else with pglz: 1.1 GB for a million products
-- instead of 2.3, which would take as much time to write as pglz takes to compress.
CREATE TABLE {schema}.styles_documents (
  id int NOT NULL,
  load_id int NOT NULL,
  digest bigint NOT NULL,
  body text NOT NULL,
  style_rows int NOT NULL,
  photo_rows int NOT NULL,
  sku_rows int NOT NULL
) WITH (autovacuum_enabled = false);
COMMENT ON TABLE {schema}.styles_documents IS 'Styles replies of products that are not hidden';
COMMENT ON COLUMN {schema}.styles_documents.id IS 'Number of the product';
COMMENT ON COLUMN {schema}.styles_documents.load_id IS 'The load that made it, or that was served when a write made it';
COMMENT ON COLUMN {schema}.styles_documents.digest IS 'Hash of the styles in body, with quantities';
COMMENT ON COLUMN {schema}.styles_documents.body IS 'The reply; product_state says when it is stale';
COMMENT ON COLUMN {schema}.styles_documents.style_rows IS 'Rows of styles.csv in the reply';
COMMENT ON COLUMN {schema}.styles_documents.photo_rows IS 'Rows of photos.csv in the reply';
COMMENT ON COLUMN {schema}.styles_documents.sku_rows IS 'Rows of skus.csv in the reply';

-- A card is head || ',"offer":' || offer || '}', with fields as a reply.
CREATE TABLE {schema}.cards (
  id int NOT NULL,
  load_id int NOT NULL,
  price numeric NOT NULL,
  head text NOT NULL,
  offer text NOT NULL,
  fields text
) WITH (autovacuum_enabled = false);
COMMENT ON TABLE {schema}.cards IS 'Cards: what a grid shows of a product';
COMMENT ON COLUMN {schema}.cards.id IS 'Number of the product';
COMMENT ON COLUMN {schema}.cards.load_id IS 'The load that made it, or that was served when a write made it';
COMMENT ON COLUMN {schema}.cards.price IS 'Price of the offer, for filters and sorts';
COMMENT ON COLUMN {schema}.cards.head IS 'The card up to its offer';
COMMENT ON COLUMN {schema}.cards.offer IS 'Prices, sizes and photo as a JSON object';
COMMENT ON COLUMN {schema}.cards.fields IS 'Fields that the load declares for cards, as a JSON object; null: it declares none';

-- How the replies differ from what was served when they were made, until `swap` logs it. kind is NULL where only the card differs.
CREATE TABLE {schema}.changes (
  id int NOT NULL,
  kind text,
  has_styles boolean NOT NULL,
  has_card boolean NOT NULL
) WITH (autovacuum_enabled = false);

CREATE TABLE {schema}.page_blocks (
  first_id int PRIMARY KEY,
  rows int NOT NULL CHECK (rows >= 0),
  load_id int NOT NULL
) WITH (autovacuum_enabled = false);
COMMENT ON TABLE {schema}.page_blocks IS 'Blocks of 64 products by id: they turn a page number into a position without counting rows';
COMMENT ON COLUMN {schema}.page_blocks.first_id IS 'Lowest id of the block, which ends before the next one';
COMMENT ON COLUMN {schema}.page_blocks.rows IS 'Products in it';
COMMENT ON COLUMN {schema}.page_blocks.load_id IS 'The load that made it, or that was served when a write made it';

CREATE TABLE {schema}.product_state (
  id int PRIMARY KEY,
  product_seq bigint NOT NULL,
  styles_seq bigint NOT NULL,
  built_seq bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
COMMENT ON TABLE {schema}.product_state IS
  'Products that were written since the load. The stored styles reply is older than the rows while built_seq < styles_seq';
COMMENT ON COLUMN {schema}.product_state.id IS 'Number of the product';
COMMENT ON COLUMN {schema}.product_state.product_seq IS 'Last commit that changed its content; 0: none';
COMMENT ON COLUMN {schema}.product_state.styles_seq IS 'Last commit that changed its styles reply';
COMMENT ON COLUMN {schema}.product_state.built_seq IS 'Last commit that the stored styles reply has';

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
COMMENT ON TABLE {schema}.loaded_products IS 'Replies that the load made of products that were written since; null: it made none';
COMMENT ON COLUMN {schema}.loaded_products.id IS 'Number of the product';
COMMENT ON COLUMN {schema}.loaded_products.head IS 'As in product_documents';
COMMENT ON COLUMN {schema}.loaded_products.features IS 'As in product_documents';
COMMENT ON COLUMN {schema}.loaded_products.body IS 'As in styles_documents';
COMMENT ON COLUMN {schema}.loaded_products.feature_rows IS 'Rows of features.csv in the reply';
COMMENT ON COLUMN {schema}.loaded_products.related_rows IS 'Rows of related.csv in the reply';
COMMENT ON COLUMN {schema}.loaded_products.style_rows IS 'Rows of styles.csv in the reply';
COMMENT ON COLUMN {schema}.loaded_products.photo_rows IS 'Rows of photos.csv in the reply';
COMMENT ON COLUMN {schema}.loaded_products.sku_rows IS 'Rows of skus.csv in the reply';
COMMENT ON COLUMN {schema}.loaded_products.fields IS 'As in product_documents';
CREATE TABLE {schema}.loaded_cards (id int PRIMARY KEY, offer text);
COMMENT ON TABLE {schema}.loaded_cards IS 'Offers that the load made of products whose cards were written since';
COMMENT ON COLUMN {schema}.loaded_cards.id IS 'Number of the product';
COMMENT ON COLUMN {schema}.loaded_cards.offer IS 'As in cards; null: it made none';

CREATE TABLE {schema}.shown_only (
  id int PRIMARY KEY,
  seq bigint NOT NULL
);
COMMENT ON TABLE {schema}.shown_only IS
  'Products whose last commit only hid or published one, themselves or one that they name as related: no load loses a write of them';
COMMENT ON COLUMN {schema}.shown_only.id IS 'Number of the product';
COMMENT ON COLUMN {schema}.shown_only.seq IS 'That commit, as product_state has it';

-- Made by documents/rebuild.sql. A load makes documents of all products, and hides them before it is served.
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
COMMENT ON TABLE {schema}.hidden_documents IS 'Replies of hidden products, as product_documents and styles_documents have those of others';
COMMENT ON COLUMN {schema}.hidden_documents.id IS 'Number of the product';
COMMENT ON COLUMN {schema}.hidden_documents.load_id IS 'As in product_documents';
COMMENT ON COLUMN {schema}.hidden_documents.created_at IS 'As in product_documents';
COMMENT ON COLUMN {schema}.hidden_documents.updated_at IS 'As in product_documents';
COMMENT ON COLUMN {schema}.hidden_documents.content IS 'As in product_documents';
COMMENT ON COLUMN {schema}.hidden_documents.head IS 'As in product_documents';
COMMENT ON COLUMN {schema}.hidden_documents.features IS 'As in product_documents';
COMMENT ON COLUMN {schema}.hidden_documents.related IS 'As in product_documents';
COMMENT ON COLUMN {schema}.hidden_documents.fields IS 'As in product_documents';
COMMENT ON COLUMN {schema}.hidden_documents.digest IS 'As in styles_documents';
COMMENT ON COLUMN {schema}.hidden_documents.body IS 'As in styles_documents';
COMMENT ON COLUMN {schema}.hidden_documents.feature_rows IS 'As in product_documents';
COMMENT ON COLUMN {schema}.hidden_documents.related_rows IS 'As in product_documents';
COMMENT ON COLUMN {schema}.hidden_documents.style_rows IS 'As in styles_documents';
COMMENT ON COLUMN {schema}.hidden_documents.photo_rows IS 'As in styles_documents';
COMMENT ON COLUMN {schema}.hidden_documents.sku_rows IS 'As in styles_documents';
