-- title: every related product is there
-- cause: a product was deleted while others still name it
SELECT count(*)
FROM {schema}.related
WHERE NOT EXISTS (SELECT FROM {schema}.products WHERE products.id = related.related_product_id)
