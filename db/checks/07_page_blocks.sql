-- title: the page blocks count every product once
-- hint: run `documents` again; a page of the list would show wrong products
SELECT count(*)
FROM (
  SELECT first_id, rows, lead(first_id, 1, 2147483647) OVER (ORDER BY first_id) AS next_id
  FROM {schema}.page_blocks
) AS block
FULL JOIN (
  SELECT block.first_id, count(*) AS rows
  FROM (
    SELECT first_id, lead(first_id, 1, 2147483647) OVER (ORDER BY first_id) AS next_id FROM {schema}.page_blocks
  ) AS block
  JOIN {schema}.product_documents AS product ON product.id >= block.first_id AND product.id < block.next_id
  GROUP BY block.first_id
) AS counted USING (first_id)
WHERE block.rows IS DISTINCT FROM coalesce(counted.rows, 0)
