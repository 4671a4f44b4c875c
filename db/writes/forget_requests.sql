-- Deletes some of the replies that are too old to be repeated, and counts them.
WITH forgotten AS (
  DELETE FROM catalog_log.requests
  WHERE (key_id, key) IN (
    SELECT key_id, key FROM catalog_log.requests WHERE at < clock_timestamp() - interval '48 hours' ORDER BY at LIMIT 5000
  )
  RETURNING key
)
SELECT count(*)::int AS count FROM forgotten
