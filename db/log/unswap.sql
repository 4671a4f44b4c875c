-- How {previous} differs from {served}, for the commit of an unswap: what load $1, the newer of both, had changed, backwards if it is
-- served, and anew the products that were written in either since it was loaded.

WITH candidate AS (SELECT id FROM {served}.product_state UNION SELECT id FROM {previous}.product_state),
before AS ({before}),
after AS ({after}),
newer AS (
  SELECT commits.*, state = 'live' AS is_served
  FROM catalog_log.commits
  JOIN catalog_meta.loads ON loads.id = load_id
  WHERE kind = 'load' AND load_id = $1
),
logged AS (
  SELECT id, max(listed.kind) AS kind, bool_or(is_card) AS has_card
  FROM newer
  CROSS JOIN LATERAL (
    SELECT unnest(created) AS id, CASE WHEN is_served THEN 'deleted' ELSE 'created' END AS kind, NOT is_served AS is_card
    UNION ALL SELECT unnest(deleted), CASE WHEN is_served THEN 'created' ELSE 'deleted' END, is_served
    UNION ALL SELECT unnest(updated), 'updated', false
    UNION ALL SELECT unnest(restocked), 'restocked', false
    UNION ALL SELECT unnest(cards), NULL, true
  ) AS listed
  GROUP BY id
),
changes AS (
  SELECT id, kind, has_card AND kind IS DISTINCT FROM 'deleted' AS has_card
  FROM logged
  WHERE id NOT IN (SELECT id FROM candidate)
  UNION ALL
  SELECT id, kind, has_card FROM ({changes}) AS written
),
{lists}
