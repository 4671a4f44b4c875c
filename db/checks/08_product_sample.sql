-- title: a sample of product replies equals what documents/product.sql makes now
-- cause: rows were changed without their documents
WITH wanted AS (
  SELECT id AS first_id, id AS last_id, {campus}::text AS campus, {load_id} AS load_id
  FROM {schema}.products
  ORDER BY random()
  LIMIT 200
),
made AS (SELECT made.* FROM wanted CROSS JOIN LATERAL ({styles}) AS made),
-- No time: with other content, the times would be those of a change now.
product AS (SELECT product.*, NULL::timestamptz AS now FROM wanted CROSS JOIN LATERAL ({product}) AS product),
before AS ({stored}),
timed AS ({timed})
SELECT count(*)
FROM timed
LEFT JOIN {schema}.product_documents AS stored USING (id)
WHERE (stored.head, stored.features, stored.related, stored.content)
  IS DISTINCT FROM (timed.head, timed.features, timed.related, timed.content)
