-- Skus whose field has one of the texts $2 (JSON), in the order of their ids, at most $3, and their number; $1 names of includes. {field}
-- is a declared name. Each text is one look-up by key (db/lookup_index.sql).
SELECT '[' || coalesce(string_agg(item.text, ',' ORDER BY item.id), '') || ']', count(*)
FROM (
  SELECT found.id, found.text
  FROM json_array_elements_text($2::json) AS wanted (value)
  CROSS JOIN LATERAL (
    SELECT id, head || CASE WHEN 'card' = ANY ($1::text[]) THEN ',"card":' || card ELSE '' END || '}' AS text
    FROM catalog.sku_replies
    WHERE hashtextextended(fields ->> '{field}', 0) = hashtextextended(wanted.value, 0) AND fields ->> '{field}' = wanted.value
    LIMIT $3
  ) AS found
  LIMIT $3
) AS item
