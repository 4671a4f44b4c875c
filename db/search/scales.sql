-- The name and body of the two blobs of each scale: the positions by value, then id, 4 bytes each, high byte first; and a line for each value,
-- ascending, with the first place in that order that has it. A product of several values has a place for each.
WITH scale AS ({field_scales}),
placed AS MATERIALIZED (
  SELECT found.name, position, value, number
  FROM ({field_values}) AS found
  JOIN (SELECT id, (row_number() OVER (ORDER BY id) - 1)::int AS position FROM {schema}.cards) AS card USING (id)
), made AS (
  SELECT 'order' AS kind, name, string_agg(int4send(position), ''::bytea ORDER BY number, value, position) AS body
  FROM placed
  GROUP BY name
  UNION ALL
  SELECT 'values', name, convert_to(string_agg(value || E'\t' || first || E'\n', '' ORDER BY first), 'UTF8')
  FROM (
    SELECT name, value, sum(count(*)) OVER (PARTITION BY name ORDER BY number, value) - count(*) AS first
    FROM placed
    GROUP BY name, number, value
  ) AS valued
  GROUP BY name
)
SELECT kind || '.field.' || scale.name, coalesce(body, '')
FROM scale
CROSS JOIN unnest(ARRAY['order', 'values']) AS kind
LEFT JOIN made USING (kind, name)
