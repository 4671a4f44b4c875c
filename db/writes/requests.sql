-- The replies that were stored under the idempotency keys $2 of the API keys $1.
SELECT request.key_id, request.key, encode(request.fingerprint, 'hex') AS fingerprint, request.status, request.headers, request.body
FROM unnest($1::text[], $2::text[]) AS wanted (key_id, key)
JOIN catalog_log.requests AS request USING (key_id, key)
