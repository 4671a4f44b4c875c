-- The secrets that sign requests of hook $1: the current one, and the one before while both are valid.
SELECT secret
FROM catalog_meta.hook_secrets
WHERE hook_id = $1 AND (until IS NULL OR until > clock_timestamp())
ORDER BY until DESC NULLS FIRST
