-- Whether the log can be replayed from commit $1 of era $2 on: null, or why not.
SELECT CASE
  WHEN $2::int <> head.era THEN 'is of another era: the database was restored or promoted since'
  WHEN $1::bigint > head.seq THEN 'is not reached yet'
  WHEN $1 < head.seq AND NOT EXISTS (SELECT FROM catalog_log.commits WHERE seq = $1 + 1) OR EXISTS (
    SELECT
    FROM (SELECT stock_pos FROM catalog_log.commits WHERE seq > $1 AND kind = 'stock' ORDER BY seq LIMIT 1) AS first
    WHERE NOT EXISTS (SELECT FROM catalog_log.stock_log WHERE pos = first.stock_pos)
  ) THEN 'is older than the log'
END
FROM catalog_log.head
