-- title: a sample of styles replies equals what documents/styles.sql makes now
-- cause: rows were changed without their documents
WITH sampled AS (SELECT id FROM {schema}.products ORDER BY random() LIMIT 200),
load AS (SELECT {load_id} AS id)
SELECT count(*)
FROM load
CROSS JOIN LATERAL ({styles}) AS made
LEFT JOIN (
  SELECT id, body, digest FROM {schema}.styles_documents UNION ALL SELECT id, body, digest FROM {schema}.hidden_documents
) AS stored ON stored.id = made.id
WHERE (stored.body, stored.digest) IS DISTINCT FROM (made.body, made.digest) AND made.id NOT IN ({stale})
