-- What a server says of itself: the data version that it can see, and whether it is a replica.
-- The timeline grows with each promotion, so of two servers that both take writes the one promoted last is known.
-- Lag: 0 when all that arrived was replayed; else since when the last replayed transaction was committed.
SELECT
  (SELECT version || '-' || (extract(epoch FROM changed_at) * 1000000)::bigint
   FROM catalog_meta.data_version
   WHERE version > 0) AS token,
  pg_is_in_recovery() AS recovering,
  CASE
    WHEN pg_is_in_recovery() THEN 0
    ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int
  END AS timeline,
  CASE
    WHEN NOT pg_is_in_recovery() OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
    ELSE greatest(0, extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::bigint
  END AS lag_ms
