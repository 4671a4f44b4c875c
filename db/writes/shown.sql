-- After commit.sql has numbered a commit that hides or publishes: lists have other products, and no load loses a write of $1 (unwritten.sql).
WITH counted AS (UPDATE catalog_log.head SET counted_seq = seq RETURNING seq)
INSERT INTO {schema}.shown_only (id, seq)
SELECT id, seq
FROM counted
CROSS JOIN unnest($1::int[]) AS id
ORDER BY id
ON CONFLICT (id) DO UPDATE SET seq = excluded.seq
