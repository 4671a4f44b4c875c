-- Makes the product replies, without their times (timed.sql), of the products whose id is {wanted}, such as BETWEEN $1 AND $2. The
-- relation `load` has id and campus in its only row.
-- This is the only definition of this JSON. Key order is part of the contract, and there are no spaces.
-- On PostgreSQL 17 and later the loader replaces to_json() by JSON_SCALAR(), which is faster (etl/steps/documents.py): give it scalars only.
-- Grouped, not correlated like styles.sql: with two or three short rows a product, joining two groups takes a sixth less time.

SELECT
  product.id,
  load.id AS load_id,
  '{"id":' || product.id
    || ',"campus":' || to_json(load.campus)
    || ',"name":' || to_json(product.name)
    || ',"slogan":' || to_json(product.slogan)
    || ',"description":' || to_json(product.description)
    || ',"category":' || to_json(product.category)
    || ',"default_price":"' || round(product.default_price, greatest(scale(product.default_price), 2))
    || '"' AS head,
  coalesce(feature.list, '[]') AS features,
  CASE WHEN related.has_hidden THEN (
    SELECT '[' || coalesce(string_agg(named.id, ',' ORDER BY place), '') || ']'
    FROM unnest(string_to_array(btrim(related.list, '[]'), ',')) WITH ORDINALITY AS named (id, place)
    WHERE NOT EXISTS (SELECT FROM catalog_meta.hidden_products WHERE hidden_products.id = named.id::int AND is_hidden)
  ) ELSE coalesce(related.list, '[]') END AS related,
  coalesce(related.list, '[]') AS named, -- with hidden products
  product.fields::text AS fields,
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
  WHERE product_id {wanted}
  GROUP BY product_id
) AS feature ON feature.product_id = product.id
LEFT JOIN (
  SELECT
    product_id,
    '[' || string_agg(related_product_id::text, ',' ORDER BY position) || ']' AS list,
    count(*)::int AS rows,
    bool_or(EXISTS (SELECT FROM catalog_meta.hidden_products WHERE hidden_products.id = related_product_id AND is_hidden)) AS has_hidden
  FROM {schema}.related
  WHERE product_id {wanted}
  GROUP BY product_id
) AS related ON related.product_id = product.id
WHERE product.id {wanted}
