-- Deletes the products $1, the features of $2, the related rows of $3, the photos of the styles $4, the styles $6 of the products $5 and
-- the skus $8 of the styles $7. Returns the skus with their last quantities.
WITH products AS (
  DELETE FROM {schema}.products WHERE id = ANY ($1::int[])
), features AS (
  DELETE FROM {schema}.features WHERE product_id = ANY ($2::int[])
), related AS (
  DELETE FROM {schema}.related WHERE product_id = ANY ($3::int[])
), photos AS (
  DELETE FROM {schema}.photos WHERE style_id = ANY ($4::int[])
), styles AS (
  DELETE FROM {schema}.styles USING unnest($5::int[], $6::int[]) AS gone (product_id, id)
  WHERE styles.product_id = gone.product_id AND styles.id = gone.id
), skus AS (
  -- In the order in which stock_apply.sql changes them.
  DELETE FROM {schema}.skus USING (SELECT * FROM unnest($7::int[], $8::int[]) AS each (style_id, id) ORDER BY id) AS gone
  WHERE skus.style_id = gone.style_id AND skus.id = gone.id
  RETURNING skus.id, skus.quantity
)
SELECT id, quantity FROM skus
