-- As export_card.sql, of the replies that product.sql gives.
SELECT
  coalesce(string_agg(head || ',"features":' || features || coalesce(',"fields":' || fields, '') || E'}\n', ''), ''),
  max(id),
  count(*),
  max(load_id),
  (SELECT listed_seq FROM catalog_log.head)
FROM (
  SELECT id, head, features, fields, load_id
  FROM catalog.product_documents
  WHERE id > $1
  ORDER BY id
  LIMIT $2
) AS piece
