-- The products that name one of the products $1 as related, except these themselves.
SELECT DISTINCT product_id AS id
FROM {schema}.related
WHERE related_product_id = ANY ($1::int[]) AND product_id <> ALL ($1::int[])
