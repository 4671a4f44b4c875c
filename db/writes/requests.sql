-- The replies that were stored under the idempotency keys $2 of the API keys $1; of stock, the position.
SELECT
  wanted.key_id, wanted.key, encode(uuid_send(request.fingerprint), 'hex') AS fingerprint,
  request.position, request.status, request.headers, request.body
FROM unnest($1::text[], $2::text[]) AS wanted (key_id, key)
JOIN catalog_log.requests AS request ON request.digest = catalog_log.request_digest(wanted.key_id, wanted.key)
