-- The worker knows the product of each style, so nothing is joined here.
SELECT size, quantity > 0 AS in_stock, string_agg(int4send(style_id), ''::bytea) AS style_ids
FROM {schema}.skus
WHERE style_id {styles}
GROUP BY size, in_stock
