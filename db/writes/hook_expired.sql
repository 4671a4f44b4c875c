-- Pauses hook $1, whose cursor $2 is older than the log.
UPDATE catalog_meta.hooks
SET paused = 'cursor-expired'
WHERE id = $1 AND cursor = $2 AND paused IS NULL
RETURNING paused
