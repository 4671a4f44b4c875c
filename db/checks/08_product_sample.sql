-- title: a sample of product replies is what documents/product.sql gives now
-- hint: rows were changed without their documents; run `documents` again
SELECT count(*)
FROM (SELECT id FROM {schema}.products ORDER BY random() LIMIT 200) AS sampled
CROSS JOIN LATERAL ({product}) AS made
LEFT JOIN {schema}.product_documents AS stored ON stored.id = sampled.id
WHERE (stored.head, stored.features, stored.related) IS DISTINCT FROM (made.head, made.features, made.related)
