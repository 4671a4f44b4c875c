-- Moves hook $1 from its cursor $2, where the request up to commit $3 began, to $4. $5 is the answer; null: no change was for it, and nothing was sent.
UPDATE catalog_meta.hooks
SET
  cursor = $4, bound = NULL, begun_at = NULL, failures = 0, failing_since = NULL,
  answer = coalesce($5, answer), answered_at = CASE WHEN $5 IS NULL THEN answered_at ELSE clock_timestamp() END
WHERE id = $1 AND cursor = $2 AND bound IS NOT DISTINCT FROM $3
RETURNING id
