-- The logged request that has the operation at offset $1: its last offset, how many operations and sets it has, and whether it is
-- applied. Its sets come before its adjusts.
WITH logged AS (SELECT * FROM catalog_log.stock_log WHERE pos >= $1::bigint ORDER BY pos LIMIT 1),
request AS (
  SELECT operations, sum(operations) OVER (ORDER BY place)::int AS last
  FROM logged
  CROSS JOIN LATERAL unnest(logged.requests) WITH ORDINALITY AS each (operations, place)
)
SELECT
  logged.pos - cardinality(logged.skus) + request.last AS position,
  request.operations,
  (
    SELECT count(*)::int
    FROM unnest(logged.adjusts[request.last - request.operations + 1:request.last]) AS adjusts
    WHERE NOT adjusts
  ) AS sets,
  logged.pos <= applied.pos AS is_applied
FROM logged
CROSS JOIN request
CROSS JOIN catalog_log.stock_applied AS applied
WHERE $1::bigint > logged.pos - cardinality(logged.skus)
  AND logged.pos - cardinality(logged.skus) + request.last >= $1::bigint
ORDER BY request.last
LIMIT 1
