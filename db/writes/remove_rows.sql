-- Deletes products, the features and related rows of products, the photos of styles, styles and skus. A name in braces gives the ids: for a
-- write parameters (server/writer/database/statements.js), for a replay tables (etl/later_writes.py). Returns the skus with their last
-- quantities.
WITH products AS (
  DELETE FROM {schema}.products WHERE id = ANY ({products})
), features AS (
  DELETE FROM {schema}.features WHERE product_id = ANY ({features})
), related AS (
  DELETE FROM {schema}.related WHERE product_id = ANY ({related})
), photos AS (
  DELETE FROM {schema}.photos WHERE style_id = ANY ({photos})
), styles AS (
  DELETE FROM {schema}.styles USING {styles} AS gone (product_id, id)
  WHERE styles.product_id = gone.product_id AND styles.id = gone.id
), skus AS (
  -- In the order in which stock_apply.sql changes them.
  DELETE FROM {schema}.skus USING (SELECT * FROM {skus} AS each (style_id, id) ORDER BY id) AS gone
  WHERE skus.style_id = gone.style_id AND skus.id = gone.id
  RETURNING skus.id, skus.quantity
)
SELECT id, quantity FROM skus
