-- Cuts the products, by id, into runs of 64 with their count, for load $1. 64 is what a worker skips at most
-- when a page begins inside a run; a million products are 15,626 runs, small enough to be held in memory.

SELECT min(id) AS first_id, count(*)::int AS rows, $1::int AS load_id
FROM (
  SELECT id, (row_number() OVER (ORDER BY id) - 1) / 64 AS run
  FROM {schema}.product_documents
) AS numbered
GROUP BY run
