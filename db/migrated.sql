-- Which migrations a database has. The writer compares them with those of its release.
CREATE SCHEMA IF NOT EXISTS catalog_meta;
CREATE TABLE IF NOT EXISTS catalog_meta.migrations (
  name text PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
