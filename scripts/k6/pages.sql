-- The first 12 hexadecimal digits of the MD5 of list pages of $1 products: of each page whose number $2 divides, in order.
SELECT left(md5('[' || string_agg(head || '}', ',' ORDER BY id) || ']'), 12) AS digest
FROM (SELECT id, head, (row_number() OVER (ORDER BY id) - 1) / $1::int + 1 AS page FROM catalog.product_documents) AS n
WHERE page % $2::int = 0
GROUP BY page
ORDER BY page
