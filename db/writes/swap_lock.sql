-- The first statement of each write: a swap waits until the writes before it have ended, and later ones wait for the swap.
SELECT pg_advisory_xact_lock_shared(catalog_log.gate())
