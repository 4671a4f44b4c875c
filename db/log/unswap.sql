-- How {previous} differs from {served}, for the commit of an unswap: of the products that load $1, the newer of both, had changed,
-- and of those that were written in either since it was loaded.

WITH candidate AS (
  SELECT unnest(created || updated || deleted || restocked || cards) AS id
  FROM catalog_log.commits
  WHERE kind = 'load' AND load_id = $1
  UNION SELECT id FROM {served}.product_state
  UNION SELECT id FROM {previous}.product_state
),
before AS ({before}),
after AS ({after}),
changes AS (SELECT id, kind, has_card FROM ({changes}) AS changed),
{lists}
