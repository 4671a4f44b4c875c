-- Makes the rows of {schema} equal to the contents of `wanted`. As a write does: only rows that differ, and lists that differ whole.

CREATE TEMP TABLE new_styles ON COMMIT DROP AS
SELECT wanted.id AS product_id, key::int AS id, value FROM wanted CROSS JOIN LATERAL jsonb_each(content -> 'styles');
CREATE TEMP TABLE old_styles ON COMMIT DROP AS
SELECT product_id, styles.id, ours -> 'styles' -> styles.id::text AS value FROM wanted JOIN {schema}.styles ON product_id = wanted.id;
CREATE TEMP TABLE old_skus ON COMMIT DROP AS
SELECT product_id, skus.* FROM old_styles JOIN {schema}.skus ON style_id = old_styles.id;
ANALYZE old_styles, old_skus, new_styles;

-- A write has brought back what the files give to another product.
WITH taken AS (
  DELETE FROM new_styles USING {schema}.styles AS other
  WHERE other.id = new_styles.id AND other.product_id <> new_styles.product_id
  RETURNING new_styles.product_id, new_styles.id
)
INSERT INTO catalog_meta.rejected_writes (load_id, product_id, path, reason)
SELECT {load_id}, product_id, '/styles/' || id, 'taken' FROM taken;
CREATE TEMP TABLE new_skus ON COMMIT DROP AS
SELECT product_id, style.id AS style_id, key::int AS id, sku.value ->> 'size' AS size
FROM new_styles AS style
CROSS JOIN LATERAL jsonb_each(style.value -> 'skus') AS sku;
ANALYZE new_skus;
WITH taken AS (
  DELETE FROM new_skus USING {schema}.skus AS other
  WHERE other.id = new_skus.id AND (new_skus.product_id, new_skus.id) NOT IN (SELECT product_id, id FROM old_skus)
  RETURNING new_skus.*
)
INSERT INTO catalog_meta.rejected_writes (load_id, product_id, sku, path, reason)
SELECT {load_id}, product_id, id, '/styles/' || style_id || '/skus/' || id, 'taken' FROM taken;

DELETE FROM {schema}.products USING wanted WHERE products.id = wanted.id AND content IS NULL;
INSERT INTO {schema}.products AS product (id, name, slogan, description, category, default_price)
SELECT
  id, content ->> 'name', content ->> 'slogan', content ->> 'description', content ->> 'category', (content ->> 'default_price')::numeric
FROM wanted
WHERE content IS NOT NULL
ON CONFLICT (id) DO UPDATE
SET
  name = excluded.name, slogan = excluded.slogan, description = excluded.description,
  category = excluded.category, default_price = excluded.default_price
WHERE (product.name, product.slogan, product.description, product.category, product.default_price)
  IS DISTINCT FROM (excluded.name, excluded.slogan, excluded.description, excluded.category, excluded.default_price);

DELETE FROM {schema}.features USING wanted WHERE product_id = wanted.id AND ours -> 'features' IS DISTINCT FROM content -> 'features';
INSERT INTO {schema}.features (id, product_id, position, feature, value)
SELECT 0, wanted.id, place, each ->> 'feature', each ->> 'value'
FROM wanted
CROSS JOIN LATERAL jsonb_array_elements(content -> 'features') WITH ORDINALITY AS listed (each, place)
WHERE ours -> 'features' IS DISTINCT FROM content -> 'features';

DELETE FROM {schema}.related WHERE related_product_id IN (SELECT id FROM wanted WHERE content IS NULL);
DELETE FROM {schema}.related USING wanted WHERE product_id = wanted.id AND ours -> 'related' IS DISTINCT FROM content -> 'related';
CREATE TEMP TABLE new_related ON COMMIT DROP AS
SELECT wanted.id AS product_id, place::int AS position, each::int AS related_product_id
FROM wanted
CROSS JOIN LATERAL jsonb_array_elements(content -> 'related') WITH ORDINALITY AS listed (each, place)
WHERE ours -> 'related' IS DISTINCT FROM content -> 'related';
WITH unknown AS (
  DELETE FROM new_related WHERE related_product_id NOT IN (SELECT id FROM {schema}.products WHERE id = related_product_id)
  RETURNING product_id, related_product_id
)
INSERT INTO catalog_meta.rejected_writes (load_id, product_id, path, reason)
SELECT {load_id}, product_id, '/related', 'unknown-related' FROM unknown;
INSERT INTO {schema}.related (id, product_id, position, related_product_id) SELECT 0, * FROM new_related;

DELETE FROM {schema}.styles USING old_styles AS old
WHERE styles.product_id = old.product_id AND styles.id = old.id AND old.id NOT IN (SELECT id FROM new_styles);
INSERT INTO {schema}.styles AS style (id, product_id, name, sale_price, original_price, is_default)
SELECT
  id, product_id, value ->> 'name', (value ->> 'sale_price')::numeric, (value ->> 'original_price')::numeric,
  (value ->> 'default?')::boolean
FROM new_styles
ON CONFLICT (product_id, id) DO UPDATE
SET name = excluded.name, sale_price = excluded.sale_price, original_price = excluded.original_price, is_default = excluded.is_default
WHERE (style.name, style.sale_price, style.original_price, style.is_default)
  IS DISTINCT FROM (excluded.name, excluded.sale_price, excluded.original_price, excluded.is_default);

CREATE TEMP TABLE other_photos ON COMMIT DROP AS
SELECT id, new.value -> 'photos' AS photos
FROM old_styles AS old
FULL JOIN new_styles AS new USING (id)
WHERE old.value -> 'photos' IS DISTINCT FROM new.value -> 'photos';
ANALYZE other_photos;
DELETE FROM {schema}.photos USING other_photos WHERE style_id = other_photos.id;
INSERT INTO {schema}.photos (id, style_id, position, url, thumbnail_url)
SELECT 0, other_photos.id, place, each ->> 'url', each ->> 'thumbnail_url'
FROM other_photos
CROSS JOIN LATERAL jsonb_array_elements(photos) WITH ORDINALITY AS listed (each, place);

-- A sku that the files lack has the quantity that it has in {served}, after all operations.
DELETE FROM {schema}.skus USING old_skus AS old
WHERE skus.style_id = old.style_id AND skus.id = old.id AND (old.style_id, old.id) NOT IN (SELECT style_id, id FROM new_skus);
INSERT INTO {schema}.skus AS sku (id, style_id, size, quantity)
SELECT new.id, new.style_id, new.size, coalesce(old.quantity, served.quantity, 0)
FROM new_skus AS new
LEFT JOIN old_skus AS old ON old.id = new.id
LEFT JOIN {served}.skus AS served ON served.id = new.id
ON CONFLICT (style_id, id) DO UPDATE SET size = excluded.size WHERE sku.size <> excluded.size;
