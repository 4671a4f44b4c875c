-- After rebuild.sql of the products $1 of hidden_changes.sql in {schema}: readers see that they differ from the load, and no load loses a write of those
-- that no write has changed. The commit that serves them is the next one.
WITH next AS (SELECT seq + 1 AS seq FROM catalog_log.head),
marked AS (
  INSERT INTO {schema}.shown_only (id, seq)
  SELECT changed.id, next.seq
  FROM unnest($1::int[]) AS changed (id)
  CROSS JOIN next
  WHERE id NOT IN (
    SELECT id
    FROM {schema}.product_state
    WHERE (id, greatest(product_seq, styles_seq)) NOT IN (SELECT id, seq FROM {schema}.shown_only)
  )
  ON CONFLICT (id) DO UPDATE SET seq = excluded.seq
)
INSERT INTO {schema}.product_state (id, product_seq, styles_seq, built_seq)
SELECT changed.id, next.seq, next.seq, next.seq
FROM unnest($1::int[]) AS changed (id)
CROSS JOIN next
ON CONFLICT (id) DO UPDATE SET product_seq = excluded.product_seq, styles_seq = excluded.styles_seq, built_seq = excluded.built_seq
