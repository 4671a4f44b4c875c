-- Run in the swap's transaction: what a table needs only while it is served. The API reads nothing that was not verified.

GRANT USAGE ON SCHEMA {schema} TO catalog_api;
GRANT SELECT ON {schema}.product_documents, {schema}.styles_documents, {schema}.page_blocks TO catalog_api;

-- Autovacuum comes back for changed rows. It must not come for loaded ones: within a minute of a swap it would read and
-- write every new table beside the first requests, and nothing here reads the visibility map that it would make.

ALTER TABLE {schema}.products SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.styles SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.photos SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.skus SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.features SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.related SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.product_documents SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.styles_documents SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
ALTER TABLE {schema}.page_blocks SET (autovacuum_enabled = true, autovacuum_vacuum_insert_threshold = -1);
