-- Sets of products by key: $1 keys as JSON. Each row is four int4 and its bits (search/set-frame.js), in order of key and chunk.
-- WITH ORDINALITY gives the keys in their order, and the join keeps it: nothing is sorted. Fields are binary, as in search_blobs.sql.
SELECT
  string_agg(found.row, ''::bytea),
  min(found.load_id)::text,
  max(found.load_id)::text
FROM (
  SELECT
    int4send(wanted.place::int - 1) || int4send(sets.chunk) || int4send(sets.rows) || int4send(length(sets.bits)) || sets.bits AS row,
    sets.load_id
  FROM json_array_elements_text($1::json) WITH ORDINALITY AS wanted (key, place)
  CROSS JOIN LATERAL (
    SELECT chunk, rows, bits, load_id
    FROM catalog.search_sets
    WHERE search_sets.key = wanted.key
    ORDER BY chunk
  ) AS sets
  ORDER BY wanted.place
) AS found
