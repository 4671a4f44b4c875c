-- title: a sample of styles replies is what documents/styles.sql gives now
-- hint: rows were changed without their documents; run `documents` again
SELECT count(*)
FROM (SELECT id FROM {schema}.products ORDER BY random() LIMIT 200) AS sampled
LEFT JOIN {schema}.styles_documents AS stored ON stored.id = sampled.id
CROSS JOIN LATERAL ({styles}) AS made
WHERE stored.body IS DISTINCT FROM made.body
