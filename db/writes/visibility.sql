-- The visibility of the products $1, and what happens to it next. A product may be missing: deleted, or left out by a load.
SELECT
  wanted.id,
  product.id IS NOT NULL AS exists,
  coalesce(is_hidden, false) AS hidden,
  hides_at AS hides,
  shows_at AS shows,
  clock_timestamp() AS now
FROM unnest($1::int[]) AS wanted (id)
LEFT JOIN {schema}.products AS product ON product.id = wanted.id
LEFT JOIN catalog_meta.hidden_products AS state ON state.id = wanted.id
