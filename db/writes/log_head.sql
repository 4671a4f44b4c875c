-- The last commit of the log.
SELECT era, seq FROM catalog_log.head
