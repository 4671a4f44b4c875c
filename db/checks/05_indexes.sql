-- title: every index is whole
-- cause: a key was dropped, or a REINDEX was interrupted
SELECT count(*) FILTER (WHERE NOT indisvalid) + greatest(0, 12 - count(*) FILTER (WHERE indisprimary))
FROM pg_index
JOIN pg_class ON pg_class.oid = indrelid
WHERE relnamespace = '{schema}'::regnamespace
