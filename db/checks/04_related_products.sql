-- title: every related product is there
-- hint: a product was deleted while others still name it; delete these related rows, or run `load` on the files again
SELECT count(*)
FROM {schema}.related
WHERE NOT EXISTS (SELECT FROM {schema}.products WHERE products.id = related.related_product_id)
