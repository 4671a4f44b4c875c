-- title: every table has as many rows as the ledger counts
-- cause: rows were changed by something other than the loader and the writer
-- only of what is served: a load counts each row while it copies it, and again in its reply (03)
SELECT count(*)
FROM (
  VALUES
    ('product.csv', (SELECT count(*) FROM {schema}.products)),
    ('styles.csv', (SELECT count(*) FROM {schema}.styles)),
    ('photos.csv', (SELECT count(*) FROM {schema}.photos)),
    ('skus.csv', (SELECT count(*) FROM {schema}.skus)),
    ('features.csv', (SELECT count(*) FROM {schema}.features)),
    ('related.csv', (SELECT count(*) FROM {schema}.related))
) AS stored (file, rows)
LEFT JOIN (
  SELECT file, sum(rows_loaded + rows_repaired) AS rows
  FROM catalog_meta.chunks
  WHERE load_id = {load_id}
  GROUP BY file
  HAVING bool_or(is_last)
) AS ledger USING (file)
LEFT JOIN ({added}) AS added USING (file)
WHERE stored.rows IS DISTINCT FROM ledger.rows + coalesce(added.rows, 0)
