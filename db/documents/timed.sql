-- Gives product replies their times, in columns and at the end of head, and the hash of the content. Needs the relations `product`
-- (product.sql and now), `made` (styles.sql) and `before` (stored.sql). The only rule of times: both stay while the content of a
-- product is the same, so its bytes and ETags survive a reload. updated_at grows with each change, even if a clock was set back.

SELECT
  reply.id,
  reply.load_id,
  times.created_at,
  times.updated_at,
  reply.content,
  reply.digest,
  reply.head
    || ',"created_at":"' || to_char(times.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '","updated_at":"' || to_char(times.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '"' AS head,
  reply.features,
  reply.related,
  reply.fields,
  reply.feature_rows,
  reply.related_rows
FROM (
  SELECT
    product.*,
    made.digest,
    hashtextextended(product.head || product.features || product.named || coalesce(product.fields, ''), made.content) AS content
  FROM product
  JOIN made USING (id)
  OFFSET 0 -- else each use of the hash would make it again
) AS reply
LEFT JOIN before USING (id)
CROSS JOIN LATERAL (
  SELECT
    coalesce(before.created_at, reply.now) AS created_at,
    CASE
      WHEN before.content = reply.content THEN before.updated_at
      ELSE greatest(reply.now, before.updated_at + interval '1 millisecond')
    END AS updated_at
) AS times
