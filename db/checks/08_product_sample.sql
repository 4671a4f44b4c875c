-- title: a sample of product replies equals what documents/product.sql makes now
-- cause: rows were changed without their documents
WITH sampled AS (SELECT id FROM {schema}.products ORDER BY random() LIMIT 200),
-- No time: with other content, the times would be those of a change now.
load AS (SELECT {load_id} AS id, {campus}::text AS campus, NULL::timestamptz AS now),
made AS (SELECT made.* FROM load CROSS JOIN LATERAL ({styles}) AS made),
product AS (SELECT product.*, load.now FROM load CROSS JOIN LATERAL ({product}) AS product),
before AS ({stored}),
timed AS ({timed})
SELECT count(*)
FROM timed
LEFT JOIN (
  SELECT id, head, features, related, fields, content FROM {schema}.product_documents
  UNION ALL
  SELECT id, head, features, related, fields, content FROM {schema}.hidden_documents
) AS stored USING (id)
WHERE (stored.head, stored.features, stored.related, stored.fields, stored.content)
  IS DISTINCT FROM (timed.head, timed.features, timed.related, timed.fields, timed.content)
