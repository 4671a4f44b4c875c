-- title: every set of the search has as many products as it says, and the search has all of its lists or nothing
-- cause: rows of search_sets or search_blobs were changed or deleted
SELECT (
  SELECT count(*)
  FROM {schema}.search_sets
  WHERE load_id <> {load_id} OR rows < 1 OR CASE
    WHEN rows <= 4096 THEN octet_length(bits) <> 2 * rows
    ELSE octet_length(bits) <> 8192 OR bit_count(bits) <> rows
  END
) + CASE
  WHEN EXISTS (SELECT FROM {schema}.search_sets) OR EXISTS (SELECT FROM {schema}.search_blobs) THEN (
    SELECT count(*)
    FROM unnest(ARRAY['ids', 'price_order', 'prices', 'name_order', 'words', 'facets', 'language', 'spellings']) AS name
    WHERE NOT EXISTS (SELECT FROM {schema}.search_blobs AS blob WHERE blob.name = name.name AND load_id = {load_id})
      AND (name NOT IN ('language', 'spellings') OR '{schema}' <> 'catalog') -- what an earlier release loaded has none, and is served
  ) + (
    SELECT count(*)
    FROM (SELECT body FROM {schema}.search_blobs WHERE name = 'fields' AND load_id = {load_id}) AS kept
    FULL JOIN (SELECT content FROM catalog_meta.declarations WHERE load_id = {load_id}) AS declared ON true
    WHERE convert_from(body, 'UTF8') IS DISTINCT FROM content::text
  ) + (
    SELECT count(*)
    FROM ({field_scales}) AS scale
    CROSS JOIN unnest(ARRAY['order', 'values']) AS kind
    WHERE NOT EXISTS (
      SELECT FROM {schema}.search_blobs AS blob WHERE blob.name = kind || '.field.' || scale.name AND load_id = {load_id}
    )
  )
  ELSE 0
END
