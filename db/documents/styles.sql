-- Builds the styles replies of the products $1 to $2 (one product: the same id twice) for load $3.
-- The only place that knows this JSON; key order is part of the contract, and there are no spaces.
-- Grouped, not correlated: photos and skus become one text a style, styles one text a product.
-- A style without photos or skus shows one of nulls: front ends read results[0].photos[0].

WITH style AS (
  SELECT id, product_id, name, sale_price, original_price, is_default
  FROM {schema}.styles
  WHERE product_id BETWEEN $1 AND $2
), photo AS (
  SELECT
    photos.style_id,
    string_agg(
      '{"thumbnail_url":' || to_json(photos.thumbnail_url) || ',"url":' || to_json(photos.url) || '}',
      ',' ORDER BY photos.position
    ) AS list,
    count(*)::int AS rows
  FROM {schema}.photos
  JOIN style ON style.id = photos.style_id
  GROUP BY photos.style_id
), sku AS (
  SELECT
    skus.style_id,
    string_agg(
      '"' || skus.id || '":{"quantity":' || skus.quantity || ',"size":' || to_json(skus.size) || '}',
      ',' ORDER BY skus.id
    ) AS list,
    count(*)::int AS rows
  FROM {schema}.skus
  JOIN style ON style.id = skus.style_id
  GROUP BY skus.style_id
), result AS (
  SELECT
    style.product_id,
    string_agg(
      '{"style_id":' || style.id
        || ',"name":' || to_json(style.name)
        || ',"original_price":"' || round(style.original_price, greatest(scale(style.original_price), 2))
        || '","sale_price":'
        || coalesce('"' || round(style.sale_price, greatest(scale(style.sale_price), 2)) || '"', 'null')
        || ',"default?":' || CASE WHEN style.is_default THEN 'true' ELSE 'false' END
        || ',"photos":[' || coalesce(photo.list, '{"thumbnail_url":null,"url":null}')
        || '],"skus":{' || coalesce(sku.list, '"null":{"quantity":null,"size":null}') || '}}',
      ',' ORDER BY style.id
    ) AS list,
    count(*)::int AS style_rows,
    coalesce(sum(photo.rows), 0)::int AS photo_rows,
    coalesce(sum(sku.rows), 0)::int AS sku_rows
  FROM style
  LEFT JOIN photo ON photo.style_id = style.id
  LEFT JOIN sku ON sku.style_id = style.id
  GROUP BY style.product_id
)
SELECT
  product.id,
  $3::int AS load_id,
  '{"product_id":"' || product.id || '","results":[' || coalesce(result.list, '') || ']}' AS body,
  coalesce(result.style_rows, 0) AS style_rows,
  coalesce(result.photo_rows, 0) AS photo_rows,
  coalesce(result.sku_rows, 0) AS sku_rows
FROM {schema}.products AS product
LEFT JOIN result ON result.product_id = product.id
WHERE product.id BETWEEN $1 AND $2
