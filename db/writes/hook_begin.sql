-- Notes, before a request of hook $1 is sent, that it has the changes from its cursor $2 to the commit $3, so that a repeat by another writer has
-- the same. No row: the hook was moved, paused or removed.
UPDATE catalog_meta.hooks
SET bound = $3, begun_at = CASE WHEN bound = $3 THEN begun_at ELSE clock_timestamp() END
WHERE id = $1 AND cursor = $2 AND paused IS NULL
RETURNING to_char(begun_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
