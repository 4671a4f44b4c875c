-- Wakes the watchers of workers. Not in the transaction of a write: NOTIFY takes a lock of the whole cluster until its commit is on the disk.
NOTIFY catalog_version
