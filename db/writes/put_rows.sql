-- Inserts or updates rows. A name in braces gives them, a JSON object each, as in remove_rows.sql. Lists of features, related ids and
-- photos are new: remove_rows.sql has removed the old ones. The ids of their rows are in no reply. A sku that is there keeps its quantity.
-- `fields` is the text of its JSON: jsonb would order the members.
WITH products AS (
  INSERT INTO {schema}.products (id, name, slogan, description, category, default_price, fields)
  SELECT id, name, slogan, description, category, default_price, fields::json
  FROM {products} AS kept (
    id int, name text, slogan text, description text, category text, default_price numeric, fields text
  )
  ON CONFLICT (id) DO UPDATE SET
    name = excluded.name, slogan = excluded.slogan, description = excluded.description,
    category = excluded.category, default_price = excluded.default_price, fields = excluded.fields
), features AS (
  INSERT INTO {schema}.features (id, product_id, position, feature, value)
  SELECT 0, kept.* FROM {features} AS kept (product_id int, position int, feature text, value text)
), related AS (
  INSERT INTO {schema}.related (id, product_id, position, related_product_id)
  SELECT 0, kept.* FROM {related} AS kept (product_id int, position int, related_product_id int)
), styles AS (
  INSERT INTO {schema}.styles (id, product_id, name, sale_price, original_price, is_default, fields)
  SELECT id, product_id, name, sale_price, original_price, is_default, fields::json
  FROM {styles} AS kept (
    id int, product_id int, name text, sale_price numeric, original_price numeric, is_default boolean, fields text
  )
  ON CONFLICT (product_id, id) DO UPDATE SET
    name = excluded.name, sale_price = excluded.sale_price, original_price = excluded.original_price,
    is_default = excluded.is_default, fields = excluded.fields
), photos AS (
  INSERT INTO {schema}.photos (id, style_id, position, url, thumbnail_url)
  SELECT 0, kept.* FROM {photos} AS kept (style_id int, position int, url text, thumbnail_url text)
)
INSERT INTO {schema}.skus (id, style_id, size, quantity, fields)
SELECT id, style_id, size, quantity, fields::json
FROM {skus} AS kept (id int, style_id int, size text, quantity int, fields text)
ORDER BY id -- in the order in which stock_apply.sql changes them
ON CONFLICT (style_id, id) DO UPDATE SET size = excluded.size, fields = excluded.fields
