-- title: a sample of cards equals what documents/card.sql makes now
-- cause: rows were changed without their cards
WITH sampled AS (SELECT id FROM {schema}.products WHERE id NOT IN (SELECT id FROM {schema}.hidden_documents) ORDER BY random() LIMIT 200),
load AS (SELECT {load_id} AS id),
made AS (SELECT made.* FROM load CROSS JOIN LATERAL ({styles}) AS made)
SELECT count(*)
FROM ({card}) AS card
LEFT JOIN {schema}.cards AS stored USING (id)
WHERE (stored.price, stored.head, stored.offer, stored.fields)
  IS DISTINCT FROM (card.price, card.head, card.offer, card.fields)
