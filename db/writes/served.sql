-- What is served now, and the number of the last commit.
SELECT
  version.load_id, load.campus, head.era, head.seq,
  date_trunc('milliseconds', clock_timestamp()) AS now
FROM catalog_meta.data_version AS version
JOIN catalog_meta.loads AS load ON load.id = version.load_id
CROSS JOIN catalog_log.head
