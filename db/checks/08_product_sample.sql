-- title: a sample of product replies is what documents/product.sql gives now
-- hint: rows were changed without their documents; run `documents` again
SELECT count(*)
FROM (SELECT id FROM {schema}.products ORDER BY random() LIMIT 200) AS sampled
LEFT JOIN {schema}.product_documents AS stored ON stored.id = sampled.id
CROSS JOIN LATERAL ({product}) AS made
WHERE (stored.head, stored.features, stored.related) IS DISTINCT FROM (made.head, made.features, made.related)
