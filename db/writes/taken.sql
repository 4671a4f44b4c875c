-- The styles $2 and the skus $3 that belong to another product than $1. They are found by indexes that are built after a swap.
SELECT 'style' AS kind, id FROM {schema}.styles WHERE id = ANY ($2::int[]) AND product_id <> $1
UNION ALL
SELECT 'sku', sku.id
FROM {schema}.skus AS sku
JOIN {schema}.styles AS style ON style.id = sku.style_id
WHERE sku.id = ANY ($3::int[]) AND style.product_id <> $1
