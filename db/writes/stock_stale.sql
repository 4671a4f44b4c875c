-- The next products after the id $1 whose stored styles reply is stale, up to 500, and the number of the last commit. Those that a
-- commit after $2 restocked are left out: they are likely to be restocked again.
SELECT
  coalesce(array_agg(id), '{}') AS ids,
  (SELECT seq FROM catalog_log.head) AS seen
FROM (
  SELECT id
  FROM {schema}.product_state
  WHERE id > $1::int AND styles_seq > built_seq AND styles_seq <= $2::bigint
  ORDER BY id
  LIMIT 500
) AS stale
