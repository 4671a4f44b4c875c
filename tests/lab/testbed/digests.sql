-- Each document route and the SHA-256 of its correct body, from the documents themselves and past every cache.
SELECT '/products/' || id || tail AS path, encode(sha256(convert_to(reply.body, 'UTF8')), 'hex') AS digest
FROM catalog.product_documents AS p
JOIN catalog.styles_documents AS s USING (id)
CROSS JOIN LATERAL (
  VALUES ('', p.head || ',"features":' || p.features || coalesce(',"fields":' || p.fields, '') || '}'), ('/styles', s.body), ('/related', p.related)
) AS reply (tail, body)
ORDER BY id
