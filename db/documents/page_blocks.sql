-- Divides the products by id into blocks of 64 with their counts, for load $1. A worker skips at most 64 products when a page
-- begins inside a block. A million products make 15,626 blocks, few enough to keep in memory.

SELECT min(id) AS first_id, count(*)::int AS rows, $1::int AS load_id
FROM (
  SELECT id, (row_number() OVER (ORDER BY id) - 1) / 64 AS run
  FROM {schema}.product_documents
) AS numbered
GROUP BY run
