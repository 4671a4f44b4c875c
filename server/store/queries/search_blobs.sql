-- The blobs that each search needs, in one row, in the order of SearchReads.BLOBS; null for one that is missing. Fields are binary, and text is then its bytes.
SELECT
  (array_agg(body) FILTER (WHERE name = 'ids'))[1],
  (array_agg(body) FILTER (WHERE name = 'price_order'))[1],
  (array_agg(body) FILTER (WHERE name = 'prices'))[1],
  (array_agg(body) FILTER (WHERE name = 'name_order'))[1],
  (array_agg(body) FILTER (WHERE name = 'words'))[1],
  (array_agg(body) FILTER (WHERE name = 'facets'))[1],
  (array_agg(body) FILTER (WHERE name = 'language'))[1],
  (array_agg(body) FILTER (WHERE name = 'spellings'))[1],
  (array_agg(body) FILTER (WHERE name = 'fields'))[1],
  min(load_id)::text
FROM catalog.search_blobs
WHERE name NOT LIKE '%.%' -- a scale of a declared field (search_scale.sql)
