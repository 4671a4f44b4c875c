-- Deletes some of the replies that are too old to be repeated, and counts them. Their time may be a minute too early. They are deleted by
-- place: joined by their key, the whole table would be read for each piece.
WITH forgotten AS (
  DELETE FROM catalog_log.requests
  WHERE ctid = ANY (
    ARRAY(
      SELECT ctid FROM catalog_log.requests
      WHERE at < clock_timestamp() - interval '48 hours 1 minute'
      ORDER BY at
      LIMIT 5000
    )
  )
  RETURNING digest
)
SELECT count(*)::int AS count FROM forgotten
