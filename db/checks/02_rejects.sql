-- title: every rejected row is recorded with its reason
-- cause: rows of catalog_meta.rejects were deleted
SELECT count(*)
FROM (
  SELECT file, sum(rows_rejected) AS rows FROM catalog_meta.chunks WHERE load_id = {load_id} GROUP BY file
) AS ledger
LEFT JOIN (
  SELECT file, count(*) AS rows FROM catalog_meta.rejects WHERE load_id = {load_id} GROUP BY file
) AS written USING (file)
WHERE ledger.rows <> coalesce(written.rows, 0)
