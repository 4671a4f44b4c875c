-- title: a sample of styles replies equals what documents/styles.sql makes now
-- cause: rows were changed without their documents
SELECT count(*)
FROM (SELECT id FROM {schema}.products ORDER BY random() LIMIT 200) AS sampled
LEFT JOIN LATERAL (SELECT body FROM {schema}.styles_documents WHERE id = sampled.id LIMIT 1) AS stored ON true
CROSS JOIN LATERAL ({styles}) AS made
WHERE stored.body IS DISTINCT FROM made.body
