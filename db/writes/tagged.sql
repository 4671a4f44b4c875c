-- The content that product $1 had under one of the ETags $2, the latest. Text, because its numbers are exact.
SELECT content::text
FROM catalog_log.revisions
WHERE product_id = $1 AND etag = ANY ($2::text[])
ORDER BY revision DESC
LIMIT 1
