-- The last commits of each slot of cache keys, which has the ids with the same lowest bits: $1 mask of these bits, $2 seq of the status
-- that the caller follows. Later commits count as this one, because no server is known to have them yet.
-- A swap may come between the name of the table and the snapshot of the statement; its token then differs from the caller's.
SELECT
  (SELECT token FROM ({server_status}) AS status) AS token,
  coalesce(json_agg(slot), '[]') AS slots,
  coalesce(json_agg(least(product_seq, $2::bigint)), '[]') AS product_seqs,
  coalesce(json_agg(least(styles_seq, $2::bigint)), '[]') AS styles_seqs
FROM (
  SELECT id & $1::int AS slot, max(product_seq) AS product_seq, max(styles_seq) AS styles_seq
  FROM catalog.product_state
  GROUP BY 1
) AS written
