-- title: the page blocks count every product once
-- cause: blocks or documents were changed, so a page of the list would show the wrong products
SELECT count(*) + (
  -- Products before the first block: all of them when there is no block.
  SELECT count(*) FROM {schema}.product_documents
  WHERE id < coalesce((SELECT min(first_id) FROM {schema}.page_blocks), 2147483648)
)
FROM {schema}.page_blocks AS block
FULL JOIN (
  SELECT block.first_id, count(*) AS rows
  FROM (
    -- The last block ends at the largest id. Not NULL with an OR, which no index can search for.
    SELECT first_id, lead(first_id - 1, 1, 2147483647) OVER (ORDER BY first_id) AS last_id FROM {schema}.page_blocks
  ) AS block
  JOIN {schema}.product_documents AS product ON product.id >= block.first_id AND product.id <= block.last_id
  GROUP BY block.first_id
) AS counted USING (first_id)
WHERE block.rows IS DISTINCT FROM coalesce(counted.rows, 0)
