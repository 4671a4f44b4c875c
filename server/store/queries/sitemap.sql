-- A piece of a sitemap: $1 first id, $2 rows to skip, $3 count. Id, name and last change of each product, of the table that lists read.
-- One table in one statement: a swap can fall before or after it, never inside.
SELECT
  coalesce(json_agg(json_build_array(id, product -> 'name', product -> 'updated_at')), '[]'),
  max(id),
  count(*),
  max(load_id),
  (SELECT listed_seq FROM catalog_log.head)
FROM (
  SELECT id, (head || '}')::json AS product, load_id
  FROM catalog.product_documents
  WHERE id >= $1
  ORDER BY id
  OFFSET $2
  LIMIT $3
) AS piece
