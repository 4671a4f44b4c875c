-- Makes the replies of skus, for the view in ../schema/008_skus.sql. A sku's reply is head || '}', or head || ',"card":' || card || '}'.
-- fields are for look-ups by their values.
-- This is the only definition of this JSON. Key order is part of the contract, and there are no spaces.
-- Prices are those of a style as in card.sql, and quantities are shown as in styles.sql.
-- Photo and card are subqueries, so that they are read only where they are asked for.

SELECT
  sku.id,
  '{"id":' || sku.id
    || ',"product_id":' || product.id
    || ',"style_id":' || style.id
    || ',"product":' || to_json(product.name)
    || ',"style":' || to_json(style.name)
    || ',"size":' || to_json(sku.size)
    || ',"quantity":' || greatest(sku.quantity, 0)
    || ',"price":"' || round(price.paid, greatest(scale(price.paid), 2))
    || '","original_price":"' || round(style.original_price, greatest(scale(style.original_price), 2))
    || '","on_sale":' || CASE WHEN style.sale_price < style.original_price THEN 'true' ELSE 'false' END
    || ',"thumbnail_url":'
    || coalesce(
      to_json((SELECT thumbnail_url FROM {schema}.photos WHERE style_id = style.id ORDER BY position LIMIT 1))::text,
      'null'
    )
    || coalesce(',"fields":' || sku.fields, '') AS head,
  (
    SELECT card.head || ',"offer":' || card.offer || coalesce(',"fields":' || card.fields, '') || '}'
    FROM {schema}.cards AS card
    WHERE card.id = product.id
  ) AS card,
  sku.fields
FROM {schema}.skus AS sku
JOIN {schema}.styles AS style ON style.id = sku.style_id
JOIN {schema}.products AS product ON product.id = style.product_id
CROSS JOIN LATERAL (SELECT coalesce(style.sale_price, style.original_price) AS paid) AS price
