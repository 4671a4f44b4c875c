-- Makes the product replies of the ids $1 to $2 (one product: the same id twice) for campus $3 and load $4.
-- This is the only definition of this JSON. Key order is part of the contract, and there are no spaces.
-- On PostgreSQL 17 and later the loader replaces to_json() by JSON_SCALAR(), which is faster (etl/steps/documents.py): give it scalars only.
-- Grouped, not correlated like styles.sql: with two or three short rows a product, joining two groups takes a sixth less time.

SELECT
  product.id,
  $4::int AS load_id,
  '{"id":' || product.id
    || ',"campus":' || to_json($3::text)
    || ',"name":' || to_json(product.name)
    || ',"slogan":' || to_json(product.slogan)
    || ',"description":' || to_json(product.description)
    || ',"category":' || to_json(product.category)
    || ',"default_price":"' || round(product.default_price, greatest(scale(product.default_price), 2))
    || '","created_at":"' || to_char(product.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '","updated_at":"' || to_char(product.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '"' AS head,
  coalesce(feature.list, '[]') AS features,
  coalesce(related.list, '[]') AS related,
  coalesce(feature.rows, 0) AS feature_rows,
  coalesce(related.rows, 0) AS related_rows
FROM {schema}.products AS product
LEFT JOIN (
  SELECT
    product_id,
    '[' || string_agg(
      '{"feature":' || to_json(feature) || ',"value":' || coalesce(to_json(value)::text, 'null') || '}',
      ',' ORDER BY position
    ) || ']' AS list,
    count(*)::int AS rows
  FROM {schema}.features
  WHERE product_id BETWEEN $1 AND $2
  GROUP BY product_id
) AS feature ON feature.product_id = product.id
LEFT JOIN (
  SELECT
    product_id,
    '[' || string_agg(related_product_id::text, ',' ORDER BY position) || ']' AS list,
    count(*)::int AS rows
  FROM {schema}.related
  WHERE product_id BETWEEN $1 AND $2
  GROUP BY product_id
) AS related ON related.product_id = product.id
WHERE product.id BETWEEN $1 AND $2
