-- How many stored styles replies are stale, and the last commit that is older than $1 seconds.
SELECT
  (SELECT count(*)::int FROM {schema}.product_state WHERE styles_seq > built_seq) AS stale,
  coalesce(
    (
      SELECT seq FROM catalog_log.commits
      WHERE at < clock_timestamp() - make_interval(secs => $1::float8)
      ORDER BY seq DESC
      LIMIT 1
    ),
    0
  ) AS settled
