-- Run in the swap's transaction: what a table needs only while it is served.

ALTER TABLE {schema}.products RESET (autovacuum_enabled);
ALTER TABLE {schema}.styles RESET (autovacuum_enabled);
ALTER TABLE {schema}.photos RESET (autovacuum_enabled);
ALTER TABLE {schema}.skus RESET (autovacuum_enabled);
ALTER TABLE {schema}.features RESET (autovacuum_enabled);
ALTER TABLE {schema}.related RESET (autovacuum_enabled);
ALTER TABLE {schema}.product_documents RESET (autovacuum_enabled);
ALTER TABLE {schema}.styles_documents RESET (autovacuum_enabled);
ALTER TABLE {schema}.page_blocks RESET (autovacuum_enabled);
