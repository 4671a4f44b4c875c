-- For each list page of $1 products whose number $2 divides, in order: the first 12 hexadecimal digits of its MD5.
SELECT left(md5('[' || string_agg(head || coalesce(',"fields":' || fields, '') || '}', ',' ORDER BY id) || ']'), 12) AS digest
FROM (SELECT id, head, fields, (row_number() OVER (ORDER BY id) - 1) / $1::int + 1 AS page FROM catalog.product_documents) AS n
WHERE page % $2::int = 0
GROUP BY page
ORDER BY page
