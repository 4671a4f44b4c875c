-- How a shop tunes its searches, without a load (`tune` of etl/README.md). The last row counts, and the one before is for `--undo`.
CREATE TABLE catalog_meta.tuning (
  -- In milliseconds since 2020, so that no number comes again after a failover that lost the last one: cache keys have it.
  number bigint PRIMARY KEY,
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  content json NOT NULL, -- as etl/tuning.schema.json says; {} for none
  ranked bytea -- ids of its rank as int4, by weight, descending, then id; null: it has none
);
GRANT SELECT ON catalog_meta.tuning TO catalog_api;
