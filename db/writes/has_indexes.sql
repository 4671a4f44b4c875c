-- Says whether all indexes $1 of the served schema are built: some are only begun after a swap.
SELECT count(*) = cardinality($1::text[]) AS ready
FROM pg_index
WHERE indexrelid IN (SELECT to_regclass('{schema}.' || name) FROM unnest($1::text[]) AS wanted (name)) AND indisvalid
