-- A page with includes: $1 their names, $2 first id, $3 rows to skip, $4 count. Otherwise as page.sql. It is a page after an id, too: its
-- first id is the next one, and nothing is skipped. (bigint, because the largest id has a next one.)
SELECT
  '[' || coalesce(string_agg(text, ','), '') || ']',
  max(id),
  (SELECT d.id FROM catalog.product_documents d WHERE d.id > max(page.id) ORDER BY d.id LIMIT 1) IS NOT NULL,
  (SELECT counted_seq FROM catalog_log.head),
  min(min_load),
  max(max_load)
FROM (
  SELECT product.id, element.text, element.min_load, element.max_load
  FROM (
    SELECT id, load_id, head, features, fields, related
    FROM catalog.product_documents
    WHERE id >= $2::bigint
    ORDER BY id
    OFFSET $3
    LIMIT $4
  ) AS product
  {includes}
  ORDER BY product.id
) AS page
