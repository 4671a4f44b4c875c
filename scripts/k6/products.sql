-- For each product in the windows $1 of $2 rows: the first 12 hexadecimal digits of the MD5 of its replies (product, styles,
-- related), concatenated.
SELECT
  n.id,
  left(md5(p.head || ',"features":' || p.features || '}'), 12) || left(md5(s.body), 12) || left(md5(p.related), 12) AS digests
FROM (SELECT id, (row_number() OVER (ORDER BY id) - 1) / $2::int AS part FROM catalog.product_documents) AS n
JOIN catalog.product_documents AS p USING (id)
JOIN catalog.styles_documents AS s USING (id)
WHERE n.part = ANY ($1::int[])
ORDER BY n.id
