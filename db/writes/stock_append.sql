-- Logs the operations of some requests: skus $1, amounts $2, whether each amount is added $3, expected quantities $4 (null where any will
-- do). $5 and $6 are the number of operations and the actor of each request. Of those with an idempotency key, $7 has what a repeat
-- needs, and how far the last operation is behind. Returns the offset of the last one. It is durable, so it may be acknowledged, when
-- the transaction has ended.
WITH head AS (UPDATE catalog_log.stock_head SET pos = pos + cardinality($1::int[]) RETURNING pos),
logged AS (
  INSERT INTO catalog_log.stock_log (pos, skus, amounts, adjusts, expected, requests, actors)
  SELECT pos, $1, $2::int[], $3::boolean[], $4::int[], $5::int[], $6::text[] FROM head
  RETURNING pos
),
stored AS (
  INSERT INTO catalog_log.requests (digest, fingerprint, position)
  SELECT catalog_log.request_digest(key_id, key), fingerprint::uuid, logged.pos - behind
  FROM logged
  CROSS JOIN jsonb_to_recordset($7::jsonb) AS request (key_id text, key text, fingerprint text, behind int)
)
SELECT pos FROM logged
