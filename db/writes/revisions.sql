-- Up to $3 revisions of product $1 before revision $2, the newest first.
SELECT
  revision, kind, at, (SELECT era FROM catalog_log.head), seq, load_id, actor, on_behalf, reason, request_id, paths
FROM catalog_log.revisions
WHERE product_id = $1 AND revision < $2
ORDER BY revision DESC
LIMIT $3
