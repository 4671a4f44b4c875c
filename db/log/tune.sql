-- Stores a tuning as the last one: its content and its rank. The one before stays, and no earlier one.
WITH earlier AS (
  DELETE FROM catalog_meta.tuning
  WHERE number < (SELECT max(number) FROM catalog_meta.tuning)
)

INSERT INTO catalog_meta.tuning (number, content, ranked)
SELECT
  greatest(
    coalesce((SELECT max(number) FROM catalog_meta.tuning), 0) + 1,
    (extract(epoch FROM clock_timestamp() - timestamptz '2020-01-01 00:00+00') * 1000)::bigint
  ),
  %s,
  %s
RETURNING number
