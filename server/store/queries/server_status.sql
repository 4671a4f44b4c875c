-- The status of a server: the data version that its reads see, the last commit of the log, and whether it is a replica.
-- The moment of the change makes the token unique even when a database is recreated and counts from one again.
-- The timeline grows with each promotion: of two servers that take writes, the one promoted last has the higher one.
-- Lag: 0 when all that arrived was replayed; else the time since the last replayed transaction was committed.
SELECT
  CASE -- version 0: nothing was loaded yet
    WHEN data.version > 0 THEN data.version || '-' || (extract(epoch FROM data.changed_at) * 1000000)::bigint
  END AS token,
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
  END AS lag_ms
FROM catalog_meta.data_version AS data, catalog_log.head AS log
