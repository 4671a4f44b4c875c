-- Makes the styles replies of the products whose id is {wanted}, with `load` as in product.sql.
-- This is the only definition of this JSON. Key order is part of the contract, and there are no spaces.
-- On PostgreSQL 17 and later the loader replaces to_json() by JSON_SCALAR(), which is faster (etl/steps/documents.py): give it scalars only.
-- Correlated, not grouped: the keys return photos and skus of a style in order, so nothing is sorted or hashed, and the query needs
-- the memory of one product. It takes 12 % less processor time than three joined groups.
-- A style without photos or skus has one of nulls, because front ends read results[0].photos[0].
-- The columns after sku_rows are for card.sql, which would otherwise read the same rows again. An array has a place for each style.
-- content is a hash of all but the quantities. It needs no order: a style has its id in its text, and a sku has its id as the seed.
-- Stock may be sold twice before it is counted: a quantity below 0 is shown as 0 (db/writes/stock_apply.sql).
-- U+001F separates sizes, because JSON has no control characters. CASE instead of FILTER: an aggregate with FILTER would sort its rows.

SELECT
  product.id,
  load.id AS load_id,
  '{"product_id":"' || product.id || '","results":[' || coalesce(result.list, '') || ']}' AS body,
  coalesce(result.style_rows, 0) AS style_rows,
  coalesce(result.photo_rows, 0) AS photo_rows,
  coalesce(result.sku_rows, 0) AS sku_rows,
  hashtextextended(coalesce(result.list, ''), 0) AS digest,
  coalesce(result.content, 0) AS content,
  product.name,
  product.slogan,
  product.category,
  product.default_price,
  product.fields,
  result.lowest_price,
  result.highest_price,
  result.prices,
  result.original_prices,
  result.on_sale,
  result.defaults,
  result.thumbnail_urls,
  result.sizes_in_stock
FROM {schema}.products AS product
LEFT JOIN (
  SELECT
    style.product_id,
    string_agg(
      photo.head || ',"skus":{' || coalesce(sku.list, '"null":{"quantity":null,"size":null}') || '}'
        || coalesce(',"fields":' || style.fields, '') || '}',
      ',' ORDER BY style.id
    ) AS list,
    count(*)::int AS style_rows,
    sum(photo.rows)::int AS photo_rows,
    sum(sku.rows)::int AS sku_rows,
    min(coalesce(style.sale_price, style.original_price)) AS lowest_price,
    max(coalesce(style.sale_price, style.original_price)) AS highest_price,
    array_agg(coalesce(style.sale_price, style.original_price) ORDER BY style.id) AS prices,
    array_agg(style.original_price ORDER BY style.id) AS original_prices,
    bool_or(style.sale_price < style.original_price) AS on_sale,
    array_agg(style.is_default ORDER BY style.id) AS defaults,
    array_agg(photo.first_thumbnail_url ORDER BY style.id) AS thumbnail_urls,
    string_agg(DISTINCT sku.sizes_in_stock, chr(31)) AS sizes_in_stock,
    bit_xor(hashtextextended(photo.head || coalesce(style.fields::text, ''), sku.content)) AS content
  FROM {schema}.styles AS style
  CROSS JOIN LATERAL (
    -- The style up to its skus, made here because it is used twice.
    SELECT
      '{"style_id":' || style.id
        || ',"name":' || to_json(style.name)
        || ',"original_price":"' || round(style.original_price, greatest(scale(style.original_price), 2))
        || '","sale_price":'
        || coalesce('"' || round(style.sale_price, greatest(scale(style.sale_price), 2)) || '"', 'null')
        || ',"default?":' || CASE WHEN style.is_default THEN 'true' ELSE 'false' END
        || ',"photos":['
        || coalesce(
          string_agg(
            '{"thumbnail_url":' || to_json(thumbnail_url) || ',"url":' || to_json(url) || '}',
            ',' ORDER BY position
          ),
          '{"thumbnail_url":null,"url":null}'
        )
        || ']' AS head,
      count(*)::int AS rows,
      (array_agg(thumbnail_url ORDER BY position))[1] AS first_thumbnail_url
    FROM {schema}.photos
    WHERE style_id = style.id
  ) AS photo
  CROSS JOIN LATERAL (
    SELECT
      string_agg(
        '"' || id || '":{"quantity":' || greatest(quantity, 0) || ',"size":' || to_json(size)
          || coalesce(',"fields":' || fields, '') || '}',
        ',' ORDER BY id
      ) AS list,
      count(*)::int AS rows,
      string_agg(CASE WHEN quantity > 0 THEN to_json(size)::text END, chr(31) ORDER BY id) AS sizes_in_stock,
      coalesce(bit_xor(hashtextextended(size || coalesce(fields::text, ''), id)), 0) AS content
    FROM {schema}.skus
    WHERE style_id = style.id
  ) AS sku
  WHERE style.product_id {wanted}
  GROUP BY style.product_id
) AS result ON result.product_id = product.id
WHERE product.id {wanted}
