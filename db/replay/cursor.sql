-- Says whether the log can be replayed from commit $1 of era $2 on, of which the files have the changes up to $3, or all: null, or why not.
SELECT CASE
  WHEN $2::int <> head.era THEN 'is of another era: the database was restored or promoted since'
  WHEN $1::bigint > head.seq THEN 'is not reached yet'
  WHEN first <= head.seq AND NOT EXISTS (SELECT FROM catalog_log.commits WHERE seq = first) OR EXISTS (
    SELECT
    FROM (SELECT stock_pos FROM catalog_log.commits WHERE seq >= first AND kind = 'stock' ORDER BY seq LIMIT 1) AS stock
    WHERE NOT EXISTS (SELECT FROM catalog_log.stock_log WHERE pos = stock.stock_pos)
  ) THEN 'is older than the log'
  WHEN $3 >= (
    SELECT CASE WHEN is_whole THEN 1 ELSE cardinality(created || updated || deleted || restocked) END FROM catalog_log.commits WHERE seq = $1
  ) THEN 'has no such change'
END
FROM catalog_log.head
CROSS JOIN LATERAL (SELECT $1 + ($3::int IS NULL)::int AS first) AS needed
