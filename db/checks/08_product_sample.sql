-- title: a sample of product replies equals what documents/product.sql makes now
-- cause: rows were changed without their documents
SELECT count(*)
FROM (SELECT id FROM {schema}.products ORDER BY random() LIMIT 200) AS sampled
LEFT JOIN LATERAL (SELECT * FROM {schema}.product_documents WHERE id = sampled.id LIMIT 1) AS stored ON true
CROSS JOIN LATERAL ({product}) AS made
WHERE (stored.head, stored.features, stored.related) IS DISTINCT FROM (made.head, made.features, made.related)
