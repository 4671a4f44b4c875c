-- Runs in the swap's transaction: what a catalog needs only while it is served. The API can read only verified tables.

-- The styles reply of a product as its rows are now, for readers of a stale one: the API may not read rows. It is called by the name that
-- the schema has after the swap, so its text has that name.
CREATE FUNCTION {schema}.live_styles(int) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  RETURN (SELECT made.body FROM (SELECT 0 AS id) AS load CROSS JOIN LATERAL ({styles}) AS made);
END
$function$;
REVOKE ALL ON FUNCTION {schema}.live_styles FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {schema}.live_styles TO catalog_api, catalog_writer;

GRANT USAGE ON SCHEMA {schema} TO catalog_api;
GRANT SELECT ON {schema}.product_documents, {schema}.styles_documents, {schema}.cards, {schema}.page_blocks,
  {schema}.search_sets, {schema}.search_blobs, {schema}.product_state, {schema}.loaded_products, {schema}.loaded_cards
  TO catalog_api;
GRANT SELECT (id) ON {schema}.hidden_documents TO catalog_api; -- to say that a product is hidden
-- No TRUNCATE and nothing of other schemas: a write changes rows of products and what is made of them.
GRANT USAGE ON SCHEMA {schema} TO catalog_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.products, {schema}.styles, {schema}.photos, {schema}.skus, {schema}.related,
  {schema}.features, {schema}.product_documents, {schema}.styles_documents, {schema}.cards, {schema}.page_blocks,
  {schema}.product_state, {schema}.hidden_documents TO catalog_writer;
GRANT SELECT, INSERT ON {schema}.loaded_products, {schema}.loaded_cards TO catalog_writer;
GRANT SELECT, INSERT, UPDATE ON {schema}.shown_only TO catalog_writer;

-- Autovacuum is on again for changed rows, but not for loaded ones. Within a minute of a swap it would read and write every new table
-- during the first requests, and no query here uses the visibility map that it would make.

ALTER TABLE {schema}.products SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.styles SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.photos SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.skus SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.features SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.related SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.product_documents SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.styles_documents SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.cards SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.page_blocks SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.search_sets SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.search_blobs SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
