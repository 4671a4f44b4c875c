-- Webhooks. A hook is a place in the feed of changes, with what became of its last request.
CREATE TABLE catalog_meta.hooks (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  url text NOT NULL,
  types text[] NOT NULL, -- kinds of changes, or product.*; {} for all
  allow_private boolean NOT NULL, -- addresses of private networks, and http
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  cursor text NOT NULL, -- after the last change that was received
  bound text, -- the last commit at the first try of the request under way: a repeat has the same changes; null: none is under way
  begun_at timestamptz, -- that first try
  failures int NOT NULL DEFAULT 0, -- in a row
  failing_since timestamptz,
  next_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  answer text, -- to the last request
  answered_at timestamptz,
  paused text CHECK (paused IN ('operator', 'failing', 'cursor-expired')), -- null: not paused
  test_asked_at timestamptz,
  test_answer text -- null: the leader has not sent it
);

-- The writer alone reads a secret. Who removes or rotates hooks needs to find its row, not to read it.
CREATE TABLE catalog_meta.hook_secrets (
  hook_id int NOT NULL REFERENCES catalog_meta.hooks ON DELETE CASCADE,
  secret text NOT NULL, -- whsec_ and base64
  until timestamptz -- the end of its overlap with the next one; null: the current one
);
CREATE INDEX hook_secrets_by_hook ON catalog_meta.hook_secrets (hook_id);
REVOKE SELECT ON catalog_meta.hook_secrets FROM CURRENT_USER;
GRANT SELECT (hook_id, until) ON catalog_meta.hook_secrets TO CURRENT_USER;

GRANT SELECT, UPDATE ON catalog_meta.hooks TO catalog_writer;
GRANT SELECT ON catalog_meta.hook_secrets TO catalog_writer;
