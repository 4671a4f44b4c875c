-- The scale of a declared field: $1 is field.NAME. Fields are binary, as in search_blobs.sql.
SELECT
  (array_agg(body) FILTER (WHERE name = 'order.' || $1::text))[1],
  (array_agg(body) FILTER (WHERE name = 'values.' || $1::text))[1],
  min(load_id)::text
FROM catalog.search_blobs
WHERE name IN ('order.' || $1::text, 'values.' || $1::text)
