-- A page that starts at a row: $1 first id of its block, $2 rows to skip inside the block, $3 count.
-- One table in one statement: a swap can fall before or after it, never inside.
-- The test whether rows follow has ORDER BY, since for a bare EXISTS the planner takes a sequential scan, which reads the whole
-- table before it returns false.
-- The aggregate takes the rows as the subquery orders them (no join above it, so the order holds).
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
  WHERE id >= $1
  ORDER BY id
  OFFSET $2
  LIMIT $3
) page
