-- The load that is served now, and the number of the last commit. A write has the time of the last commit at least, even if a clock was set back.
SELECT
  version.load_id, load.campus, head.era, head.seq,
  date_trunc('milliseconds', greatest(clock_timestamp(), head.at)) AS now
FROM catalog_meta.data_version AS version
JOIN catalog_meta.loads AS load ON load.id = version.load_id
CROSS JOIN catalog_log.head
