-- The keys that writes and reads of skus need. A load builds them with the others, before the swap (etl/steps/index.py). CONCURRENTLY is for
-- what is served without them, as by an earlier release (etl/steps/writable.py): writes go on, but the build waits for every open snapshot.

-- used by: server/store/queries/skus.sql; writes/stock_apply.sql, the sku of an operation; a rollback that brings a sku back
CREATE UNIQUE INDEX CONCURRENTLY skus_by_id ON {schema}.skus (id);
-- used by: documents/sku.sql and writes/stock_apply.sql, the product of a style; a rollback that brings a style back
CREATE UNIQUE INDEX CONCURRENTLY styles_by_id ON {schema}.styles (id);
-- used by: the removal of a product from the lists of others
CREATE INDEX CONCURRENTLY related_by_target ON {schema}.related (related_product_id);
