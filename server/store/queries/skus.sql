-- Skus in the order of their ids: $1 names of includes, $2 ids; null for an unknown one. Each id is one look-up by key, as in batch.sql.
-- One view has all of it, so nothing is of two loads (db/schema/008_skus.sql).
SELECT '[' || string_agg(coalesce(item.text, 'null'), ',') || ']'
FROM (
  SELECT item.text
  FROM unnest($2::int[]) WITH ORDINALITY AS wanted (id, place)
  LEFT JOIN LATERAL (
    SELECT head || CASE WHEN 'card' = ANY ($1::text[]) THEN ',"card":' || card ELSE '' END || '}' AS text
    FROM catalog.sku_replies
    WHERE sku_replies.id = wanted.id
    LIMIT 1
  ) AS item ON true
  ORDER BY wanted.place
) AS item
