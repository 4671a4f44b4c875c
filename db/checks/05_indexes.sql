-- title: every index is whole
-- hint: a build was interrupted; run `index` again, or REINDEX what pg_index shows as invalid
SELECT count(*) FILTER (WHERE NOT indisvalid) + greatest(0, 9 - count(*) FILTER (WHERE indisprimary))
FROM pg_index
JOIN pg_class ON pg_class.oid = indrelid
WHERE relnamespace = '{schema}'::regnamespace
