-- title: the search has each declared number and date of products in its place
-- cause: products, styles, skus or scales of the search were changed
-- Values are compared of the products in a run of 65,536, and all places and lines are in order.
WITH scale AS ({field_scales}),
run AS MATERIALIZED (
  SELECT id, (row_number() OVER (ORDER BY id) - 1)::int AS position FROM {cards}
), sampled AS MATERIALIZED (
  SELECT id, position
  FROM run
  WHERE position / 65536 = (SELECT floor(random() * (max(position) / 65536 + 1))::int FROM run)
    AND EXISTS (SELECT FROM scale)
    AND id NOT IN ({written})
), whole AS MATERIALIZED (
  SELECT
    scale.name,
    orders.body || ''::bytea AS body, -- each get_byte would read the stored parts again
    octet_length(orders.body) / 4 AS places, -- a sort would carry the body
    lines.body AS lines
  FROM scale
  JOIN {schema}.search_blobs AS orders ON orders.name = 'order.field.' || scale.name
  JOIN {schema}.search_blobs AS lines ON lines.name = 'values.field.' || scale.name
), line AS MATERIALIZED (
  SELECT
    name,
    split_part(text, E'\t', 1) AS value,
    split_part(text, E'\t', 2)::int AS first,
    lead(split_part(text, E'\t', 2)::int, 1, places) OVER (PARTITION BY name ORDER BY place) AS next,
    place
  FROM whole
  CROSS JOIN LATERAL regexp_split_to_table(convert_from(lines, 'UTF8'), E'\n') WITH ORDINALITY AS split (text, place)
  WHERE text <> ''
), lines AS MATERIALIZED (
  SELECT name, array_agg(first ORDER BY place) AS firsts FROM line GROUP BY name
), listed AS MATERIALIZED (
  SELECT name, line, position, is_wrong
  FROM whole
  JOIN lines USING (name)
  CROSS JOIN LATERAL (
    SELECT
      line,
      position,
      line = lag(line) OVER placed AND position <= lag(position) OVER placed AS is_wrong
    FROM (
      SELECT
        at,
        width_bucket(at, firsts) AS line,
        (get_byte(body, 4 * at) << 24) + (get_byte(body, 4 * at + 1) << 16) + (get_byte(body, 4 * at + 2) << 8)
          + get_byte(body, 4 * at + 3) AS position
      FROM generate_series(0, places - 1) AS at
    ) AS decoded
    WINDOW placed AS (ORDER BY at)
  ) AS each
), wanted AS MATERIALIZED ( -- a plan that joins all of `listed` with its lines takes three times as long
  SELECT name, line, id FROM listed JOIN sampled USING (position)
), found AS (
  SELECT name, id, value, number FROM ({field_values}) AS made
)
SELECT (
  SELECT count(*)
  FROM (
    SELECT wanted.name, id, value FROM wanted JOIN line ON (line.name, line.place) = (wanted.name, wanted.line)
  ) AS stored
  FULL JOIN found USING (name, id, value)
  WHERE stored.id IS NULL OR found.id IS NULL
) + (
  SELECT count(*) FROM listed WHERE is_wrong
) + (
  SELECT count(*)
  FROM (
    SELECT
      first >= next OR CASE type
        WHEN 'number' THEN value::numeric <= (lag(value) OVER (PARTITION BY name ORDER BY place))::numeric
        ELSE value COLLATE "C" <= lag(value) OVER (PARTITION BY name ORDER BY place)
      END OR (place = 1 AND first <> 0) AS is_wrong
    FROM line
    JOIN scale USING (name)
  ) AS compared
  WHERE is_wrong
)
