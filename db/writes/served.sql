-- The load that is served now, and the number of the last commit. A write has the time of the last commit at least, even if a clock was set back.
-- The caller knows the load of token $1: what another one declares (etl/declaration.py) is in the row; null: no fields.
SELECT
  version.load_id, load.campus, head.era, head.seq,
  date_trunc('milliseconds', greatest(clock_timestamp(), head.at)) AS now,
  version.token,
  CASE
    WHEN version.token <> $1::text THEN (SELECT content FROM catalog_meta.declarations WHERE declarations.load_id = version.load_id)
  END AS declared
FROM (
  -- The time makes it unique even when a database is recreated and counts from one again.
  SELECT load_id, version || '-' || extract(epoch FROM changed_at) AS token FROM catalog_meta.data_version
) AS version
JOIN catalog_meta.loads AS load ON load.id = version.load_id
CROSS JOIN catalog_log.head
