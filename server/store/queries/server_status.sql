-- The status of a server: the data version that its reads see, the last commit of the log, and whether it is a replica.
-- $1 is the token that the caller knows: what the load of another one declares (etl/declaration.py) is in the row, null without fields.
-- The moment of the change makes the token unique even when a database is recreated and counts from one again.
-- The timeline grows with each promotion: of two servers that take writes, the one promoted last has the higher one.
-- Tuning: its number, 0 for none.
-- Lag: 0 when all that arrived was replayed; else the time since the last replayed transaction was committed.
SELECT
  data.token,
  CASE
    WHEN data.token <> $1::text THEN (SELECT content FROM catalog_meta.declarations WHERE declarations.load_id = data.load_id)
  END AS declared,
  log.era,
  log.seq,
  log.listed_seq,
  log.counted_seq,
  log.is_written,
  pg_is_in_recovery() AS recovering,
  CASE
    WHEN pg_is_in_recovery() THEN 0
    ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int
  END AS timeline,
  CASE
    WHEN NOT pg_is_in_recovery() OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
    ELSE greatest(0, extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::bigint
  END AS lag_ms,
  coalesce((SELECT max(number) FROM catalog_meta.tuning), 0) AS tuning
FROM (
  SELECT
    load_id,
    CASE -- version 0: nothing was loaded yet
      WHEN version > 0 THEN version || '-' || (extract(epoch FROM changed_at) * 1000000)::bigint
    END AS token
  FROM catalog_meta.data_version
) AS data, catalog_log.head AS log
