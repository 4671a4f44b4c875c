-- The contents of the products whose id is {wanted}, from their rows, in the shape of revisions. A write reads the same from the stored
-- replies, which is faster (server/writer/content/shape.js); tests/server/writer/replay.test.js compares both.

SELECT
  product.id,
  jsonb_build_object(
    'name', product.name,
    'slogan', product.slogan,
    'description', product.description,
    'category', product.category,
    'default_price', round(product.default_price, greatest(scale(product.default_price), 2))::text,
    'features', (
      SELECT coalesce(jsonb_agg(jsonb_build_object('feature', feature, 'value', value) ORDER BY position), '[]')
      FROM {schema}.features
      WHERE product_id = product.id
    ),
    'related', (
      SELECT coalesce(jsonb_agg(related_product_id ORDER BY position), '[]') FROM {schema}.related WHERE product_id = product.id
    ),
    'styles', (
      SELECT coalesce(jsonb_object_agg(style.id, jsonb_build_object(
        'name', style.name,
        'original_price', round(style.original_price, greatest(scale(style.original_price), 2))::text,
        'sale_price', round(style.sale_price, greatest(scale(style.sale_price), 2))::text,
        'default?', style.is_default,
        'photos', (
          SELECT coalesce(jsonb_agg(jsonb_build_object('thumbnail_url', thumbnail_url, 'url', url) ORDER BY position), '[]')
          FROM {schema}.photos
          WHERE style_id = style.id
        ),
        'skus', (
          SELECT coalesce(jsonb_object_agg(id, jsonb_build_object('size', size) || CASE
            WHEN fields IS NULL THEN '{}'
            ELSE jsonb_build_object('fields', fields)
          END), '{}')
          FROM {schema}.skus
          WHERE style_id = style.id
        )
      ) || CASE WHEN style.fields IS NULL THEN '{}' ELSE jsonb_build_object('fields', style.fields) END), '{}')
      FROM {schema}.styles AS style
      WHERE style.product_id = product.id
    )
  ) || CASE WHEN product.fields IS NULL THEN '{}' ELSE jsonb_build_object('fields', product.fields) END AS content
FROM {schema}.products AS product
WHERE product.id {wanted}
