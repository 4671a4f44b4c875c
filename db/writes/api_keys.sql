-- The API keys that are not revoked.
SELECT id, name, secret_hash, scopes FROM catalog_meta.api_keys WHERE revoked_at IS NULL
