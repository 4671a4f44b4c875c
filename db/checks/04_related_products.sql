-- title: every related product exists
-- cause: a product was deleted while others still refer to it
-- Sorted first: rows that refer to one product follow each other, and only the first of them misses the processor's cache
-- (4.5 million rows: 1.3 s instead of 2.1). + 0: the index of what is served would visit each row in its order (18 s).
SELECT count(*)
FROM (SELECT related_product_id FROM {schema}.related ORDER BY related_product_id + 0) AS related
WHERE NOT EXISTS (SELECT FROM {schema}.products WHERE products.id = related.related_product_id)
