-- title: every repaired row is listed with its rule
-- cause: rows of catalog_meta.repairs were deleted
SELECT count(*)
FROM (
  SELECT file, sum(rows_repaired) AS rows FROM catalog_meta.chunks WHERE load_id = {load_id} GROUP BY file
) AS ledger
LEFT JOIN (
  -- Two rules may change one row.
  SELECT file, count(*) AS rows
  FROM (SELECT DISTINCT file, line FROM catalog_meta.repairs WHERE load_id = {load_id}) AS repaired
  GROUP BY file
) AS listed USING (file)
WHERE ledger.rows <> coalesce(listed.rows, 0)
