-- SHA-256 of the correct body of each document route, from the documents themselves and past every cache.
SELECT
  '/products/' || p.id AS product_path,
  encode(sha256(convert_to(p.head || ',"features":' || p.features || '}', 'UTF8')), 'hex') AS product,
  encode(sha256(convert_to(p.related, 'UTF8')), 'hex') AS related,
  encode(sha256(convert_to(s.body, 'UTF8')), 'hex') AS styles
FROM catalog.product_documents p
JOIN catalog.styles_documents s USING (id)
ORDER BY p.id
