-- Makes the styles replies of the products $1 to $2 (one product: the same id twice) for load $3.
-- This is the only definition of this JSON. Key order is part of the contract, and there are no spaces.
-- On PostgreSQL 17 and later the loader replaces to_json() by JSON_SCALAR(), which is faster (etl/steps/documents.py): give it scalars only.
-- Correlated, not grouped: the keys return photos and skus of a style in order, so nothing is sorted or hashed, and the query needs
-- the memory of one product. It takes 12 % less processor time than three joined groups.
-- A style without photos or skus has one of nulls, because front ends read results[0].photos[0].

SELECT
  product.id,
  $3::int AS load_id,
  '{"product_id":"' || product.id || '","results":[' || coalesce(result.list, '') || ']}' AS body,
  coalesce(result.style_rows, 0) AS style_rows,
  coalesce(result.photo_rows, 0) AS photo_rows,
  coalesce(result.sku_rows, 0) AS sku_rows
FROM {schema}.products AS product
LEFT JOIN (
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
    sum(photo.rows)::int AS photo_rows,
    sum(sku.rows)::int AS sku_rows
  FROM {schema}.styles AS style
  CROSS JOIN LATERAL (
    SELECT
      string_agg(
        '{"thumbnail_url":' || to_json(thumbnail_url) || ',"url":' || to_json(url) || '}',
        ',' ORDER BY position
      ) AS list,
      count(*) AS rows
    FROM {schema}.photos
    WHERE style_id = style.id
  ) AS photo
  CROSS JOIN LATERAL (
    SELECT
      string_agg('"' || id || '":{"quantity":' || quantity || ',"size":' || to_json(size) || '}', ',' ORDER BY id) AS list,
      count(*) AS rows
    FROM {schema}.skus
    WHERE style_id = style.id
  ) AS sku
  WHERE style.product_id BETWEEN $1 AND $2
  GROUP BY style.product_id
) AS result ON result.product_id = product.id
WHERE product.id BETWEEN $1 AND $2
