-- Ids for new products, styles and skus: of the next $1, $2 and $3 numbers of their sequences those that no row has. A file may have any id, and
-- a deleted product may come back. Styles and skus are not looked up until their keys are built: a load has passed its own ids by then.
-- Not by EXISTS: for that, PostgreSQL would read all ids of a table into a hash.
WITH given AS MATERIALIZED (
  SELECT 'products' AS kind, nextval('catalog_log.product_ids')::int AS id FROM generate_series(1, $1)
  UNION ALL
  SELECT 'styles', nextval('catalog_log.style_ids')::int FROM generate_series(1, $2)
  UNION ALL
  SELECT 'skus', nextval('catalog_log.sku_ids')::int FROM generate_series(1, $3)
), built AS MATERIALIZED (
  SELECT count(*) = 2 AS keys
  FROM pg_index
  WHERE indexrelid IN (to_regclass('{schema}.styles_by_id'), to_regclass('{schema}.skus_by_id')) AND indisvalid
)
SELECT kind, id
FROM given
CROSS JOIN built
WHERE CASE
  WHEN kind = 'products' THEN (SELECT id FROM {schema}.products WHERE products.id = given.id) IS NULL
    AND (SELECT product_id FROM catalog_log.revisions WHERE product_id = given.id LIMIT 1) IS NULL
  WHEN NOT keys THEN true
  WHEN kind = 'styles' THEN (SELECT id FROM {schema}.styles WHERE styles.id = given.id LIMIT 1) IS NULL
  ELSE (SELECT id FROM {schema}.skus WHERE skus.id = given.id LIMIT 1) IS NULL
END
