-- Ids for new products, styles and skus: $1, $2 and $3 of them.
SELECT 'products' AS kind, nextval('catalog_log.product_ids')::int AS id FROM generate_series(1, $1)
UNION ALL
SELECT 'styles', nextval('catalog_log.style_ids')::int FROM generate_series(1, $2)
UNION ALL
SELECT 'skus', nextval('catalog_log.sku_ids')::int FROM generate_series(1, $3)
