-- Makes the requests of a plan: lines of /bulk, first those of new products, then bodies of /stock.

CREATE UNLOGGED TABLE {upsert}.style_patches AS
SELECT
  part.product_id,
  part.style_id,
  CASE WHEN new_style.id IS NULL THEN '{}' ELSE '{"photos":[],"skus":{}}'::jsonb END || jsonb_object_agg(key, value) AS patch
FROM (
  SELECT product_id, id AS style_id, patch
  FROM {upsert}.planned_styles
  WHERE patch <> '{}' AND CASE WHEN is_new THEN line IS NOT NULL AND reason IS NULL ELSE reason IS NULL OR price_line IS NOT NULL END
  UNION ALL
  SELECT product_id, style_id, jsonb_build_object('skus', jsonb_object_agg(id, patch))
  FROM (
    SELECT product_id, style_id, id, patch FROM {upsert}.planned_skus WHERE patch <> '{}'
    UNION ALL
    SELECT product_id, found_style, id, NULL FROM {upsert}.planned_skus WHERE patch <> '{}' AND found_style <> style_id
  ) AS sku
  GROUP BY product_id, style_id
  UNION ALL
  SELECT product_id, style_id, jsonb_build_object('photos', wanted) FROM {upsert}.photo_lists WHERE wanted IS DISTINCT FROM found
) AS part
CROSS JOIN LATERAL jsonb_each(patch)
LEFT JOIN {upsert}.new_styles AS new_style ON new_style.id = style_id
GROUP BY part.product_id, part.style_id, new_style.id;

-- Phase 1 makes new products, without the related ones that are made with them: phase 2 names those.
CREATE UNLOGGED TABLE {upsert}.lines AS
SELECT phase, product_id, '{"op":"upsert","id":' || product_id || ',"body":' || patch || '}' AS line
FROM (
  SELECT
    CASE WHEN new_product.id IS NULL THEN 2 ELSE 1 END AS phase,
    product_id,
    CASE WHEN new_product.id IS NULL THEN '{}' ELSE '{"features":[],"related":[],"styles":{}}'::jsonb END || jsonb_object_agg(key, value) AS patch
  FROM (
    SELECT id AS product_id, patch FROM {upsert}.planned_products WHERE patch <> '{}' AND reason IS NULL
    UNION ALL
    SELECT product_id, jsonb_build_object('features', wanted) FROM {upsert}.feature_lists WHERE wanted IS DISTINCT FROM found
    UNION ALL
    SELECT product_id, jsonb_build_object('related', wanted)
    FROM {upsert}.related_lists
    WHERE wanted IS DISTINCT FROM found AND NOT (has_new_target AND product_id IN (SELECT id FROM {upsert}.new_products))
    UNION ALL
    SELECT product_id, jsonb_build_object('styles', jsonb_object_agg(style_id, patch)) FROM {upsert}.style_patches GROUP BY product_id
  ) AS part
  CROSS JOIN LATERAL jsonb_each(patch)
  LEFT JOIN {upsert}.new_products AS new_product ON new_product.id = product_id
  GROUP BY product_id, new_product.id
  UNION ALL
  SELECT 2, product_id, jsonb_build_object('related', wanted)
  FROM {upsert}.related_lists
  WHERE has_new_target AND product_id IN (SELECT id FROM {upsert}.new_products)
) AS product;
INSERT INTO {upsert}.refused_writes
SELECT 0, 'product', product_id, 413, 'its rows have more than {line_bytes} bytes'
FROM {upsert}.lines
WHERE octet_length(line) > {line_bytes};
INSERT INTO {upsert}.requests
SELECT row_number() OVER (ORDER BY phase, chunk), '/bulk', count(*), string_agg(line, E'\n' ORDER BY product_id)
FROM (
  SELECT phase, product_id, line, sum(octet_length(line) + 1000) OVER (PARTITION BY phase ORDER BY product_id) / {request_bytes} AS chunk
  FROM {upsert}.lines
  WHERE octet_length(line) <= {line_bytes}
) AS line
GROUP BY phase, chunk;

CREATE UNLOGGED TABLE {upsert}.restocked AS
SELECT id, found_quantity, quantity FROM {upsert}.planned_skus WHERE NOT is_new AND quantity <> found_quantity;
INSERT INTO {upsert}.requests
SELECT
  chunk + 1 + (SELECT count(*) FROM {upsert}.requests),
  '/stock',
  count(*),
  '{"compare":"none","set":[' || string_agg('[' || id || ',' || quantity || ']', ',' ORDER BY id) || ']}'
FROM (SELECT *, (row_number() OVER (ORDER BY id) - 1) / {operations} AS chunk FROM {upsert}.restocked) AS sku
GROUP BY chunk;
