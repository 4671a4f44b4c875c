-- title: the search counts as many products for each category, feature, sale and stock as there are
-- cause: products, features, cards or sets of the search were changed
-- Features are counted in one chunk: all of them would take as long as the other checks. Sizes are in the sample (14).
WITH chosen AS MATERIALIZED (
  SELECT
    chunk,
    (SELECT id FROM {cards} ORDER BY id OFFSET chunk::bigint * 65536 LIMIT 1) AS first_id,
    coalesce(
      (SELECT id - 1 FROM {cards} ORDER BY id OFFSET (chunk + 1)::bigint * 65536 LIMIT 1), 2147483647
    ) AS last_id
  FROM (SELECT floor(random() * ceil(count(*) / 65536.0))::int AS chunk FROM {cards}) AS any_chunk
), stored AS (
  SELECT key, sum(rows) AS rows
  FROM {schema}.search_sets
  WHERE key LIKE 'f:category=%' OR key IN ('f:on_sale', 'f:in_stock')
    OR (key LIKE 'f:feature.%' AND chunk = (SELECT chunk FROM chosen))
  GROUP BY key
), counted AS (
  SELECT 'f:category=' || category AS key, count(*) AS rows
  FROM {products}
  WHERE char_length(category) <= 200
  GROUP BY category
  UNION ALL
  SELECT 'f:feature.' || replace(replace(feature, '%', '%25'), '=', '%3D') || '=' || value, count(DISTINCT product_id)
  FROM {features}
  WHERE product_id BETWEEN (SELECT first_id FROM chosen) AND (SELECT last_id FROM chosen)
    AND char_length(feature) <= 200 AND char_length(value) <= 200
  GROUP BY feature, value
  UNION ALL
  SELECT key, rows
  FROM (
    SELECT
      count(*) FILTER (WHERE strpos(offer, '"on_sale":true') > 0) AS on_sale,
      count(*) FILTER (WHERE strpos(offer, '"in_stock":true') > 0) AS in_stock
    FROM {cards}
  ) AS card
  CROSS JOIN LATERAL (VALUES ('f:on_sale', on_sale), ('f:in_stock', in_stock)) AS kind (key, rows)
  WHERE rows > 0
)
SELECT count(*)
FROM stored
FULL JOIN counted USING (key)
WHERE stored.rows IS DISTINCT FROM counted.rows AND EXISTS (SELECT FROM {schema}.search_blobs)
