-- What the writer needs beside the log: API keys, ids of new rows, the history of products, and the replies of writes that may be repeated.

-- A key is ck_ID_SECRET. Only the hash of its secret is kept: who reads this table cannot write with it.
CREATE TABLE catalog_meta.api_keys (
  id text PRIMARY KEY,
  name text NOT NULL UNIQUE, -- the actor in revisions, so it is never given again
  secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32), -- SHA-256
  scopes text[] NOT NULL CHECK (scopes <@ ARRAY['content', 'stock', 'history', 'changes']),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  revoked_at timestamptz
);

-- Far above the ids of CSV files, so that a load and a write give no id twice.
CREATE SEQUENCE catalog_log.product_ids AS int START WITH 1500000001;
CREATE SEQUENCE catalog_log.style_ids AS int START WITH 1500000001;
CREATE SEQUENCE catalog_log.sku_ids AS int START WITH 1500000001;

-- A product after each write, and before its first one. Nobody changes a row.
CREATE TABLE catalog_log.revisions (
  product_id int NOT NULL,
  revision int NOT NULL,
  seq bigint, -- of the commit; null: content of a load, stored with the first write after it
  at timestamptz NOT NULL,
  load_id int NOT NULL, -- served then
  kind text NOT NULL CHECK (kind IN ('load', 'create', 'update', 'delete', 'rollback')),
  actor text, -- name of the API key
  on_behalf text, -- a person behind the key, as the client says
  reason text,
  request_id text,
  content jsonb, -- null: deleted
  paths text[] NOT NULL, -- JSON pointers of what differs from the revision before
  removed jsonb, -- {"styles": [ID], "skus": {"ID": QUANTITY}}: what a later write may bring back
  PRIMARY KEY (product_id, revision)
);

-- Replies to requests with an Idempotency-Key. A repeat within 48 hours gets the same reply and writes nothing.
CREATE TABLE catalog_log.requests (
  key_id text NOT NULL,
  key text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  fingerprint bytea NOT NULL, -- SHA-256 of method, path and body
  status int NOT NULL,
  headers jsonb NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (key_id, key)
);
CREATE INDEX requests_by_time ON catalog_log.requests (at);

GRANT SELECT ON catalog_meta.api_keys TO catalog_writer;
GRANT USAGE ON catalog_log.product_ids, catalog_log.style_ids, catalog_log.sku_ids TO catalog_writer;
GRANT SELECT, INSERT ON catalog_log.revisions TO catalog_writer;
GRANT SELECT, INSERT, DELETE ON catalog_log.requests TO catalog_writer;
