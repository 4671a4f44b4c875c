-- title: a sample of cards equals what documents/card.sql makes now
-- cause: rows were changed without their cards
SELECT count(*)
FROM (SELECT id FROM {schema}.products ORDER BY random() LIMIT 200) AS sampled
LEFT JOIN LATERAL (SELECT * FROM {schema}.cards WHERE id = sampled.id LIMIT 1) AS stored ON true
CROSS JOIN LATERAL (WITH made AS ({styles}) {card}) AS made
WHERE (stored.price, stored.head, stored.offer) IS DISTINCT FROM (made.price, made.head, made.offer)
