-- Runs as 007_served.sql does. On what an earlier release loaded, `writable` runs it, once the keys by id are there: without them each read
-- would be of the whole table.

-- The API may not read rows, but their replies. A view keeps the tables of its load through each rename, so no read is of two loads.
CREATE VIEW {schema}.sku_replies AS
{sku}
WHERE NOT EXISTS (SELECT FROM {schema}.hidden_documents AS hidden WHERE hidden.id = product.id);
GRANT SELECT ON {schema}.sku_replies TO catalog_api;
