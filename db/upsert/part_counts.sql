-- By file: rows that are created, changed and unchanged.
SELECT 'product.csv', count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new AND patch <> '{}'), count(*) FILTER (WHERE NOT is_new AND patch = '{}')
FROM {upsert}.planned_products
WHERE reason IS NULL
UNION ALL
SELECT 'styles.csv', count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new AND patch <> '{}'), count(*) FILTER (WHERE NOT is_new AND patch = '{}')
FROM {upsert}.planned_styles
WHERE line IS NOT NULL AND reason IS NULL
UNION ALL
SELECT 'prices.csv', 0, count(*) FILTER (WHERE patch <> '{}'), count(*) FILTER (WHERE patch = '{}')
FROM {upsert}.planned_styles
WHERE price_line IS NOT NULL AND NOT (is_new AND (line IS NULL OR reason IS NOT NULL))
UNION ALL
SELECT
  'skus.csv',
  count(*) FILTER (WHERE is_new),
  count(*) FILTER (WHERE NOT is_new AND (patch <> '{}' OR quantity <> found_quantity)),
  count(*) FILTER (WHERE NOT is_new AND NOT (patch <> '{}' OR coalesce(quantity <> found_quantity, false)))
FROM {upsert}.planned_skus
WHERE line IS NOT NULL AND reason IS NULL
UNION ALL
SELECT
  'quantities.csv',
  0,
  count(*) FILTER (WHERE is_new OR quantity <> found_quantity),
  count(*) FILTER (WHERE quantity = found_quantity)
FROM {upsert}.planned_skus
WHERE quantity_line IS NOT NULL AND NOT (is_new AND (line IS NULL OR reason IS NOT NULL))
UNION ALL
SELECT
  file,
  coalesce(sum(rows) FILTER (WHERE found IS NULL), 0),
  coalesce(sum(rows) FILTER (WHERE found <> wanted), 0),
  coalesce(sum(rows) FILTER (WHERE found = wanted), 0)
FROM (
  SELECT 'photos.csv' AS file, rows, wanted, found FROM {upsert}.photo_lists
  UNION ALL
  SELECT 'related.csv', rows, wanted, found FROM {upsert}.related_lists
  UNION ALL
  SELECT 'features.csv', rows, wanted, found FROM {upsert}.feature_lists
) AS list
GROUP BY file
