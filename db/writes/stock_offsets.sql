-- How far the log is ahead of the rows, and for how long the oldest operation that is not applied waits.
SELECT head.pos AS logged, applied.pos AS applied, oldest.pos AS oldest, oldest.ms
FROM catalog_log.stock_head AS head
CROSS JOIN catalog_log.stock_applied AS applied
LEFT JOIN LATERAL (
  SELECT pos, extract(epoch FROM clock_timestamp() - at)::float8 * 1000 AS ms
  FROM catalog_log.stock_log
  WHERE stock_log.pos > applied.pos
  ORDER BY pos
  LIMIT 1
) AS oldest ON true
