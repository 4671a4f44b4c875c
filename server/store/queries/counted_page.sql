-- A page together with the number of all products: $1 names of includes, $2 its first id (0: none), $3 the rows before it (-1: none), $4 count.
-- Otherwise as included_page.sql. It sums all blocks, so it is for a page that met a write each time.
WITH start AS (
  SELECT first_id, $3::bigint - rows_before AS skip
  FROM (
    SELECT first_id, rows, sum(rows) OVER (ORDER BY first_id) - rows AS rows_before
    FROM catalog.page_blocks
  ) AS block
  WHERE rows_before <= $3::bigint AND rows_before + rows > $3::bigint
)
SELECT
  '[' || coalesce(string_agg(text, ','), '') || ']',
  max(id),
  (SELECT d.id FROM catalog.product_documents d WHERE d.id > max(page.id) ORDER BY d.id LIMIT 1) IS NOT NULL,
  (SELECT coalesce(sum(rows), 0) FROM catalog.page_blocks),
  least(min(min_load), (SELECT min(load_id) FROM catalog.page_blocks)),
  greatest(max(max_load), (SELECT max(load_id) FROM catalog.page_blocks))
FROM (
  SELECT product.id, element.text, element.min_load, element.max_load
  FROM (
    SELECT id, load_id, head, features, fields, related
    FROM catalog.product_documents
    WHERE id >= coalesce(nullif($2::bigint, 0), (SELECT first_id FROM start))
    ORDER BY id
    OFFSET coalesce((SELECT skip FROM start), 0)
    LIMIT $4
  ) AS product
  {includes}
  ORDER BY product.id
) AS page
