-- The moment of the change makes the token unique even when a database is made anew and counts from one again.
SELECT version || '-' || (extract(epoch FROM changed_at) * 1000000)::bigint AS token
FROM catalog_meta.data_version
WHERE version > 0 -- 0: nothing was loaded yet
