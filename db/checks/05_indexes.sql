-- title: every index is whole
-- cause: a key was dropped, or a REINDEX was interrupted
-- `changes` has no key: a load reads it once, in its swap.
SELECT count(*) FILTER (WHERE NOT coalesce(is_valid, true)) + count(*) FILTER (WHERE NOT coalesce(has_key, false))
FROM pg_class
LEFT JOIN (
  SELECT indrelid AS oid, bool_and(indisvalid) AS is_valid, bool_or(indisprimary) AS has_key FROM pg_index GROUP BY indrelid
) AS of_table USING (oid)
WHERE relnamespace = '{schema}'::regnamespace AND relkind = 'r' AND relname <> 'changes'
