-- title: every related product is there
-- cause: a product was deleted while others still name it
-- Sorted first: the rows that name a product follow each other, and only the first of them looks for it outside of the
-- processor's cache (4.5 million rows: 1.3 s in place of 2.1).
SELECT count(*)
FROM (SELECT related_product_id FROM {schema}.related ORDER BY related_product_id) AS related
WHERE NOT EXISTS (SELECT FROM {schema}.products WHERE products.id = related.related_product_id)
