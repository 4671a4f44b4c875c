-- For each product of every $2nd window of $1 rows, counted from the last product: the first 12 hexadecimal digits of the MD5 of its replies
-- (product, styles, related), concatenated.
SELECT
  n.id,
  left(md5(p.head || ',"features":' || p.features || coalesce(',"fields":' || p.fields, '') || '}'), 12) || left(md5(s.body), 12) || left(md5(p.related), 12) AS digests
FROM (SELECT id, (row_number() OVER (ORDER BY id DESC) - 1) / $1::int AS part FROM catalog.product_documents) AS n
JOIN catalog.product_documents AS p USING (id)
JOIN catalog.styles_documents AS s USING (id)
WHERE n.part % $2::int = 0
ORDER BY n.id
