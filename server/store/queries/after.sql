-- A page after an id (keyset): $1 the last id already seen, $2 count. Otherwise as page.sql.
SELECT
  '[' || coalesce(string_agg(head || coalesce(',"fields":' || fields, '') || '}', ','), '') || ']',
  max(id),
  (SELECT d.id FROM catalog.product_documents d WHERE d.id > max(page.id) ORDER BY d.id LIMIT 1) IS NOT NULL,
  (SELECT counted_seq FROM catalog_log.head),
  min(load_id),
  max(load_id)
FROM (
  SELECT id, head, fields, load_id
  FROM catalog.product_documents
  WHERE id > $1
  ORDER BY id
  LIMIT $2
) page
