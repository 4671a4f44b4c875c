-- Makes the rows of {schema} equal to the contents of `wanted`. As a write does: only rows that differ, and lists that differ whole.
-- server/writer/content/rows.js finds them for a write, from values that it has at hand; a test compares both
-- (tests/server/writer/equal-rows.test.js). The statements that change rows are the same.

CREATE TEMP TABLE new_styles ON COMMIT DROP AS
SELECT wanted.id AS product_id, key::int AS id, value FROM wanted CROSS JOIN LATERAL jsonb_each(content -> 'styles');
CREATE TEMP TABLE old_styles ON COMMIT DROP AS
SELECT product_id, styles.id, ours -> 'styles' -> styles.id::text AS value FROM wanted JOIN {schema}.styles ON product_id = wanted.id;
CREATE TEMP TABLE old_skus ON COMMIT DROP AS
SELECT product_id, style_id, skus.id, quantity, value -> 'skus' -> skus.id::text AS value FROM old_styles JOIN {schema}.skus ON style_id = old_styles.id;
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
SELECT product_id, style.id AS style_id, key::int AS id, sku.value - 'quantity' AS value
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

-- The lists of features (of a product), related ids (of a product) and photos (of a style) that differ, and all other rows that are gone.
CREATE TEMP TABLE gone ON COMMIT DROP AS
SELECT 'products' AS kind, id AS owner, NULL::int AS id FROM wanted WHERE content IS NULL
UNION ALL
SELECT list, wanted.id, NULL
FROM wanted
CROSS JOIN unnest(ARRAY['features', 'related']) AS list
WHERE coalesce(ours -> list, '[]') <> coalesce(content -> list, '[]')
UNION ALL
SELECT 'photos', id, NULL
FROM old_styles AS old
FULL JOIN new_styles AS new USING (id)
WHERE coalesce(old.value -> 'photos', '[]') <> coalesce(new.value -> 'photos', '[]')
UNION ALL
SELECT 'styles', product_id, id FROM old_styles WHERE id NOT IN (SELECT id FROM new_styles)
UNION ALL
SELECT 'skus', style_id, id FROM old_skus WHERE (style_id, id) NOT IN (SELECT style_id, id FROM new_skus);

-- The rows to insert or update.
CREATE TEMP TABLE kept ON COMMIT DROP AS
SELECT
  'products' AS kind,
  jsonb_build_object('id', id) || (content - lists) || jsonb_build_object('fields', catalog_log.fields_json(content -> 'fields', names)) AS value
FROM wanted
CROSS JOIN (SELECT ARRAY['features', 'related', 'styles'], catalog_meta.declared_names({load_id}, 'products')) AS other (lists, names)
WHERE content - lists IS DISTINCT FROM ours - lists AND content IS NOT NULL
UNION ALL
SELECT kind, jsonb_build_object('product_id', wanted.id, 'position', place) || CASE
  WHEN kind = 'related' THEN jsonb_build_object('related_product_id', each)
  ELSE each
END
FROM gone
JOIN wanted ON wanted.id = gone.owner
CROSS JOIN jsonb_array_elements(content -> kind) WITH ORDINALITY AS listed (each, place)
WHERE kind IN ('features', 'related')
UNION ALL
SELECT 'photos', jsonb_build_object('style_id', new.id, 'position', place) || each
FROM gone
JOIN new_styles AS new ON new.id = gone.owner
CROSS JOIN jsonb_array_elements(new.value -> 'photos') WITH ORDINALITY AS listed (each, place)
WHERE kind = 'photos'
UNION ALL
SELECT
  'styles',
  jsonb_build_object('id', new.id, 'product_id', new.product_id, 'is_default', new.value -> 'default?') || (new.value - members)
    || jsonb_build_object('fields', catalog_log.fields_json(new.value -> 'fields', names))
FROM new_styles AS new
CROSS JOIN (SELECT ARRAY['photos', 'skus'], catalog_meta.declared_names({load_id}, 'styles')) AS other (members, names)
LEFT JOIN old_styles AS old ON old.id = new.id
WHERE new.value - members IS DISTINCT FROM old.value - members
UNION ALL
-- A sku that the files lack has the quantity that it has in {served}, after all operations.
SELECT
  'skus',
  new.value || jsonb_build_object(
    'id', new.id, 'style_id', new.style_id, 'quantity', coalesce(old.quantity, served.quantity, 0),
    'fields', catalog_log.fields_json(new.value -> 'fields', names)
  )
FROM new_skus AS new
CROSS JOIN (SELECT catalog_meta.declared_names({load_id}, 'skus')) AS declared (names)
LEFT JOIN old_skus AS old ON old.id = new.id
LEFT JOIN {served}.skus AS served ON served.id = new.id
WHERE (new.style_id, new.value) IS DISTINCT FROM (old.style_id, old.value);
ANALYZE gone, kept;

{remove_rows};
{put_rows};

-- A list that was just written may name what the files lack.
WITH unknown AS (
  DELETE FROM {schema}.related
  WHERE product_id IN (SELECT owner FROM gone WHERE kind = 'related')
    AND NOT EXISTS (SELECT FROM {schema}.products WHERE id = related_product_id)
  RETURNING product_id, related_product_id
)
INSERT INTO catalog_meta.rejected_writes (load_id, product_id, path, reason)
SELECT {load_id}, product_id, '/related', 'unknown-related' FROM unknown;
-- Deleted products leave the lists of others.
DELETE FROM {schema}.related WHERE related_product_id IN (SELECT id FROM wanted WHERE content IS NULL);
