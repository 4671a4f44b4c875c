-- What outlives a load: the list of loads, their progress, rejected rows, and the data version.
-- `prepare` runs it as catalog_owner in one transaction, after it made the schema for its own list of migrations.

CREATE SCHEMA IF NOT EXISTS catalog_meta;

CREATE TABLE catalog_meta.loads (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- created_at of every product: a resumed load must make the same rows as an uninterrupted one.
  started_at timestamptz NOT NULL DEFAULT date_trunc('milliseconds', clock_timestamp()),
  finished_at timestamptz,
  state text NOT NULL DEFAULT 'running'
    CHECK (state IN ('running', 'failed', 'abandoned', 'live', 'previous', 'replaced')),
  -- The last finished step; a restart resumes after it.
  step text NOT NULL DEFAULT 'begin',
  -- Files and options: a load is resumed only if they are the same.
  fingerprint text NOT NULL,
  directory text NOT NULL,
  campus text NOT NULL,
  error text
);

CREATE TABLE catalog_meta.chunks (
  load_id int NOT NULL REFERENCES catalog_meta.loads ON DELETE CASCADE,
  file text NOT NULL,
  chunk int NOT NULL,
  -- Where the next chunk begins, so that a restart reads nothing twice.
  end_byte bigint NOT NULL,
  end_line int NOT NULL,
  -- True for the last chunk of a file: the file is done.
  is_last boolean NOT NULL,
  rows_read int NOT NULL,
  rows_loaded int NOT NULL,
  rows_repaired int NOT NULL,
  rows_rejected int NOT NULL,
  committed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (load_id, file, chunk),
  CHECK (rows_read = rows_loaded + rows_repaired + rows_rejected)
);

CREATE TABLE catalog_meta.rejects (
  load_id int NOT NULL REFERENCES catalog_meta.loads ON DELETE CASCADE,
  file text NOT NULL,
  line int NOT NULL,
  reason text NOT NULL,
  detail text NOT NULL,
  -- Bytes as read, since the row may not be valid text. Only the beginning of a long row.
  raw bytea NOT NULL,
  PRIMARY KEY (load_id, file, line)
);

CREATE TABLE catalog_meta.data_version (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version bigint NOT NULL,
  load_id int,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO catalog_meta.data_version (version) VALUES (0);

-- The only way to change the version. A transaction that changes served rows must call it: every worker is notified at commit.
-- Without it, caches would keep the old bytes.
CREATE FUNCTION catalog_meta.bump_version(changed_load_id int DEFAULT NULL) RETURNS bigint
LANGUAGE sql AS $$
  WITH bumped AS (
    UPDATE catalog_meta.data_version
    SET version = version + 1, load_id = coalesce(changed_load_id, load_id), changed_at = clock_timestamp()
    RETURNING version
  ), told AS (
    SELECT pg_notify('catalog_version', version::text) FROM bumped
  )
  SELECT version FROM bumped, told;
$$;

GRANT USAGE ON SCHEMA catalog_meta TO catalog_api;
GRANT SELECT ON catalog_meta.data_version TO catalog_api;
