-- Revisions $2 of product $1 with their content, which is text because its numbers are exact.
SELECT
  revision, kind, at, (SELECT era FROM catalog_log.head), seq, load_id, actor, on_behalf, reason, request_id, paths,
  content::text
FROM catalog_log.revisions
WHERE product_id = $1 AND revision = ANY ($2::int[])
