-- Commits in order, as far as they change slots of cache keys: after $1, up to $2. A piece has about 100,000 ids, or one commit.
-- Loads are not among them: they change the data version.
SELECT seq, array_to_string(content, ',') AS content, array_to_string(restocked, ',') AS restocked
FROM (
  SELECT
    seq,
    created || updated || deleted AS content,
    restocked,
    sum(cardinality(created) + cardinality(updated) + cardinality(deleted) + cardinality(restocked)) OVER (ORDER BY seq) AS ids
  FROM (SELECT * FROM catalog_log.commits WHERE seq > $1::bigint AND seq <= $2::bigint ORDER BY seq LIMIT 200) AS piece
) AS counted
WHERE ids <= 100000 OR seq = $1::bigint + 1
ORDER BY seq
