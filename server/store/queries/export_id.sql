-- As export_card.sql, of ids alone.
SELECT
  coalesce(string_agg('{"id":' || id || E'}\n', ''), ''),
  max(id),
  count(*),
  max(load_id),
  (SELECT counted_seq FROM catalog_log.head)
FROM (
  SELECT id, load_id
  FROM catalog.product_documents
  WHERE id > $1
  ORDER BY id
  LIMIT $2
) AS piece
