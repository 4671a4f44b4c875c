-- title: the search has each product once in each order, and in its place
-- cause: products, cards or orders of the search were changed
-- Places are compared in a run of 20,000 products. The planner takes that for one row and would read a table for each: OFFSET 0 keeps it to
-- the key (a million products: 8 s, where it had not ended after 530). SQL cannot fold other names than ASCII, which may be anywhere between the others.
WITH whole AS MATERIALIZED (
  SELECT name, body || ''::bytea AS body -- each get_byte would read the stored parts again
  FROM {schema}.search_blobs
  WHERE name IN ('name_order', 'price_order', 'ids')
), listed AS MATERIALIZED (
  SELECT
    name,
    place,
    (get_byte(body, 4 * place) << 24) + (get_byte(body, 4 * place + 1) << 16) + (get_byte(body, 4 * place + 2) << 8)
      + get_byte(body, 4 * place + 3) AS position
  FROM whole
  CROSS JOIN LATERAL generate_series(0, octet_length(body) / 4 - 1) AS place
  WHERE name <> 'ids'
), counted AS (
  SELECT count(*) AS places, count(DISTINCT position) AS positions, min(position) AS lowest, max(position) AS highest
  FROM listed
  WHERE name = 'name_order'
  UNION ALL
  SELECT count(*), count(DISTINCT position), min(position), max(position) FROM listed WHERE name = 'price_order'
), run AS (
  SELECT floor(random() * greatest(1, count(*) - 19999))::int AS first, count(*) AS products FROM {cards}
), sampled AS MATERIALIZED (
  SELECT
    listed.name,
    place,
    (get_byte(body, 4 * position) << 24) + (get_byte(body, 4 * position + 1) << 16)
      + (get_byte(body, 4 * position + 2) << 8) + get_byte(body, 4 * position + 3) AS id
  FROM run
  JOIN listed ON place BETWEEN first AND first + 19999
  JOIN whole ON whole.name = 'ids' AND position BETWEEN 0 AND octet_length(body) / 4 - 1
), compared AS (
  SELECT (lower(name), name, id) < lag((lower(name), name, id)) OVER (ORDER BY place) AS is_wrong
  FROM (SELECT place, id FROM sampled WHERE name = 'name_order') AS sampled
  CROSS JOIN LATERAL (SELECT name COLLATE "C" AS name FROM {products} WHERE products.id = sampled.id OFFSET 0) AS product
  WHERE octet_length(name) = char_length(name)
  UNION ALL
  SELECT (price, id) < lag((price, id)) OVER (ORDER BY place)
  FROM (SELECT place, id FROM sampled WHERE name = 'price_order') AS sampled
  CROSS JOIN LATERAL (SELECT price FROM {cards} WHERE cards.id = sampled.id OFFSET 0) AS card
)
SELECT (SELECT count(*) FROM compared WHERE is_wrong) + (
  SELECT count(*)
  FROM counted, run
  WHERE (places, positions, lowest, highest) IS DISTINCT FROM (products, products, 0, products - 1)
    AND EXISTS (SELECT FROM {schema}.search_blobs)
)
