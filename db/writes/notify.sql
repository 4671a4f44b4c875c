-- Wakes the watchers of workers. Not in the transaction of a write: NOTIFY takes a lock of the whole cluster until its commit. That commit
-- need not be on the disk, or the next write would wait for a second flush.
SELECT set_config('synchronous_commit', 'off', true), pg_notify('catalog_version', '')
