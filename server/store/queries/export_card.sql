-- A piece of an export after an id (keyset): $1 the last id already sent, $2 count. Each element is a line.
-- One table in one statement: a swap can fall before or after it, never inside.
SELECT
  coalesce(string_agg(head || ',"offer":' || offer || coalesce(',"fields":' || fields, '') || E'}\n', ''), ''),
  max(id),
  count(*),
  max(load_id),
  (SELECT listed_seq FROM catalog_log.head)
FROM (
  SELECT id, head, offer, fields, load_id
  FROM catalog.cards
  WHERE id > $1
  ORDER BY id
  LIMIT $2
) AS piece
