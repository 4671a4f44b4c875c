-- title: a sample of cards equals what documents/card.sql makes now
-- cause: rows were changed without their cards
WITH wanted AS (
  SELECT id AS first_id, id AS last_id, {load_id} AS load_id FROM {schema}.products ORDER BY random() LIMIT 200
),
made AS (SELECT made.* FROM wanted CROSS JOIN LATERAL ({styles}) AS made)
SELECT count(*)
FROM ({card}) AS card
LEFT JOIN {schema}.cards AS stored USING (id)
WHERE (stored.price, stored.head, stored.offer) IS DISTINCT FROM (card.price, card.head, card.offer)
