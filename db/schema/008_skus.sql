-- Runs as 007_served.sql does. On what an earlier release loaded, `writable` runs it, once the keys by id are there: without them each read
-- would be of the whole table.

-- The API may not read rows, but their replies. A view keeps the tables of its load through each rename, so no read is of two loads.
CREATE VIEW {schema}.sku_replies AS
{sku}
WHERE NOT EXISTS (SELECT FROM {schema}.hidden_documents AS hidden WHERE hidden.id = product.id);
GRANT SELECT ON {schema}.sku_replies TO catalog_api;
COMMENT ON VIEW {schema}.sku_replies IS 'Replies of skus whose product is not hidden, made when they are read';
COMMENT ON COLUMN {schema}.sku_replies.id IS 'Number of the sku';
COMMENT ON COLUMN {schema}.sku_replies.head IS 'The reply without its last brace';
COMMENT ON COLUMN {schema}.sku_replies.card IS 'Card of its product';
COMMENT ON COLUMN {schema}.sku_replies.fields IS 'Fields as a JSON object, for look-ups; null: the load declares none';
