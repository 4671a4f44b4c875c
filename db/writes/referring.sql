-- The products that name product $1 as related, except itself.
SELECT DISTINCT product_id AS id FROM {schema}.related WHERE related_product_id = $1 AND product_id <> $1
