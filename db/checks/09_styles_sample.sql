-- title: a sample of styles replies equals what documents/styles.sql makes now
-- cause: rows were changed without their documents
WITH wanted AS (
  SELECT id AS first_id, id AS last_id, {load_id} AS load_id FROM {schema}.products ORDER BY random() LIMIT 200
)
SELECT count(*)
FROM wanted
CROSS JOIN LATERAL ({styles}) AS made
LEFT JOIN {schema}.styles_documents AS stored USING (id)
WHERE (stored.body, stored.digest) IS DISTINCT FROM (made.body, made.digest)
