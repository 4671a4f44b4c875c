-- The quantities that the skus of product $1 show, by style, and the commit that they are from. No row: there is no such product.
SELECT
  head.era,
  head.seq,
  json_build_object(
    'product', $1::int,
    'styles', coalesce(
      (
        SELECT json_agg(json_build_object('style', style.id, 'name', style.name, 'skus', coalesce(skus, '[]')) ORDER BY style.id)
        FROM {schema}.styles AS style
        CROSS JOIN LATERAL (
          SELECT json_agg(json_build_object('sku', id, 'size', size, 'quantity', greatest(quantity, 0)) ORDER BY id) AS skus
          FROM {schema}.skus
          WHERE style_id = style.id
        ) AS own
        WHERE style.product_id = $1
      ),
      '[]'
    )
  )::text AS body
FROM {schema}.products
CROSS JOIN catalog_log.head
WHERE products.id = $1
