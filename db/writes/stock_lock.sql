-- The second statement of a transaction that applies the log, after swap_lock.sql. Another one waits here until it has ended. A statement of
-- its own, because one that has waited for a lock reads other tables as they were before. Returns the last applied offset, that
-- of the log, and the number of the last commit.
SELECT applied.pos AS applied, head.pos AS logged, (SELECT seq FROM catalog_log.head) AS seen
FROM catalog_log.stock_applied AS applied
CROSS JOIN catalog_log.stock_head AS head
FOR UPDATE OF applied
