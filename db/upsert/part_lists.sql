-- The lists of a part. One whose rows are all refused stays as it is.

CREATE UNLOGGED TABLE {upsert}.planned_features AS
SELECT part.*, product.id IS NULL AND new_product.id IS NULL AS is_orphan
FROM {upsert}.features AS part
LEFT JOIN {schema}.products AS product ON product.id = part.product_id
LEFT JOIN {upsert}.new_products AS new_product ON new_product.id = part.product_id;
INSERT INTO {upsert}.refused
SELECT 'features.csv', position, 'orphan', 'product_id ' || product_id || ' is not loaded' FROM {upsert}.planned_features WHERE is_orphan;
CREATE UNLOGGED TABLE {upsert}.feature_lists AS
SELECT list.product_id, rows, wanted, found
FROM (
  SELECT
    product_id,
    count(*)::int AS rows,
    jsonb_agg(jsonb_build_object('feature', feature, 'value', value) ORDER BY position) AS wanted
  FROM {upsert}.planned_features
  WHERE NOT is_orphan
  GROUP BY product_id
) AS list
LEFT JOIN LATERAL (
  SELECT jsonb_agg(jsonb_build_object('feature', feature, 'value', value) ORDER BY position) AS found
  FROM {schema}.features
  WHERE product_id = list.product_id
) AS served ON true;

CREATE UNLOGGED TABLE {upsert}.planned_related AS
SELECT
  part.*,
  product.id IS NULL AND new_product.id IS NULL AS is_orphan,
  target.id IS NULL AND new_target.id IS NULL AS lacks_target,
  new_target.id IS NOT NULL AS has_new_target
FROM {upsert}.related AS part
LEFT JOIN {schema}.products AS product ON product.id = part.product_id
LEFT JOIN {upsert}.new_products AS new_product ON new_product.id = part.product_id
LEFT JOIN {schema}.products AS target ON target.id = part.related_product_id
LEFT JOIN {upsert}.new_products AS new_target ON new_target.id = part.related_product_id;
INSERT INTO {upsert}.refused
SELECT
  'related.csv', position, 'orphan',
  CASE WHEN is_orphan THEN 'product_id ' || product_id ELSE 'related_product_id ' || related_product_id END || ' is not loaded'
FROM {upsert}.planned_related
WHERE is_orphan OR lacks_target;
CREATE UNLOGGED TABLE {upsert}.related_lists AS
SELECT list.product_id, rows, has_new_target, wanted, found
FROM (
  SELECT
    product_id,
    count(*)::int AS rows,
    bool_or(has_new_target) AS has_new_target,
    jsonb_agg(related_product_id ORDER BY position) AS wanted
  FROM {upsert}.planned_related
  WHERE NOT is_orphan AND NOT lacks_target
  GROUP BY product_id
) AS list
LEFT JOIN LATERAL (
  SELECT jsonb_agg(related_product_id ORDER BY position) AS found FROM {schema}.related WHERE product_id = list.product_id
) AS served ON true;

-- The writer takes no other URLs than those of the web, unless they are there: a storefront puts them into `src`.
CREATE UNLOGGED TABLE {upsert}.planned_photos AS
SELECT
  part.*,
  coalesce(style.product_id, new_style.product_id) AS product_id,
  CASE
    WHEN style.id IS NULL AND new_style.id IS NULL THEN 'orphan'
    WHEN url ~* '^https?://' AND thumbnail_url ~* '^https?://' THEN NULL
    WHEN NOT EXISTS (
      SELECT FROM {schema}.photos AS found
      WHERE found.style_id = part.style_id AND (found.url, found.thumbnail_url) = (part.url, part.thumbnail_url)
    ) THEN 'bad_text'
  END AS reason
FROM {upsert}.photos AS part
LEFT JOIN {schema}.styles AS style ON style.id = part.style_id
LEFT JOIN {upsert}.new_styles AS new_style ON new_style.id = part.style_id;
INSERT INTO {upsert}.refused
SELECT
  'photos.csv', position, reason,
  CASE reason WHEN 'orphan' THEN 'style_id ' || style_id || ' is not loaded' ELSE 'a new URL begins with http:// or https://' END
FROM {upsert}.planned_photos
WHERE reason IS NOT NULL;
CREATE UNLOGGED TABLE {upsert}.photo_lists AS
SELECT list.product_id, list.style_id, rows, wanted, found
FROM (
  SELECT
    product_id,
    style_id,
    count(*)::int AS rows,
    jsonb_agg(jsonb_build_object('thumbnail_url', thumbnail_url, 'url', url) ORDER BY position) AS wanted
  FROM {upsert}.planned_photos
  WHERE reason IS NULL
  GROUP BY product_id, style_id
) AS list
LEFT JOIN LATERAL (
  SELECT jsonb_agg(jsonb_build_object('thumbnail_url', thumbnail_url, 'url', url) ORDER BY position) AS found
  FROM {schema}.photos
  WHERE style_id = list.style_id
) AS served ON true;
