-- Tables that the search reads, filled by the step `search`. Empty after a load with --no-search: then the API has no search.
-- Bits are hardly smaller when compressed.

CREATE TABLE {schema}.search_sets (
  key text COLLATE "C" NOT NULL,
  chunk int NOT NULL,
  load_id int NOT NULL,
  rows int NOT NULL,
  bits bytea NOT NULL
) WITH (autovacuum_enabled = false);
ALTER TABLE {schema}.search_sets ALTER COLUMN bits SET STORAGE EXTERNAL;
COMMENT ON TABLE {schema}.search_sets IS
  'Products that have a word or value. A position is the rank of a product in the order of ids, from 0; chunk c begins at c * 65536';
COMMENT ON COLUMN {schema}.search_sets.key IS 'Kind and value, such as f:category=Hats';
COMMENT ON COLUMN {schema}.search_sets.chunk IS 'Number of the chunk';
COMMENT ON COLUMN {schema}.search_sets.load_id IS 'The load that made it';
COMMENT ON COLUMN {schema}.search_sets.rows IS 'Products of the key in the chunk';
COMMENT ON COLUMN {schema}.search_sets.bits IS
  'Those products: up to 4096 as sorted positions (16 bits each, low byte first), else 65536 bits (bit i is 1 << (i & 7) of byte i >> 3)';

CREATE TABLE {schema}.search_blobs (
  name text PRIMARY KEY,
  load_id int NOT NULL,
  body bytea NOT NULL
) WITH (autovacuum_enabled = false);
ALTER TABLE {schema}.search_blobs ALTER COLUMN body SET STORAGE EXTERNAL;
COMMENT ON TABLE {schema}.search_blobs IS 'Orders, words and facets as the search of workers keeps them, and the language whose forms words have';
COMMENT ON COLUMN {schema}.search_blobs.name IS 'Name, such as words or language';
COMMENT ON COLUMN {schema}.search_blobs.load_id IS 'The load that made it';
COMMENT ON COLUMN {schema}.search_blobs.body IS 'Bytes as the SQL of db/search makes them';

-- Only the loader can fold or count these while it makes the sets. Dropped at the end of the step.
CREATE UNLOGGED TABLE {schema}.search_names (
  id int NOT NULL,
  folded text NOT NULL -- only of names that are not ASCII: SQL folds the others
) WITH (autovacuum_enabled = false);
CREATE UNLOGGED TABLE {schema}.search_spellings (
  word text COLLATE "C" NOT NULL,
  written text COLLATE "C" NOT NULL, -- as texts have it: Gore™ for gore
  rows int NOT NULL -- occurrences, in one chunk
) WITH (autovacuum_enabled = false);
CREATE UNLOGGED TABLE {schema}.search_features (
  feature text NOT NULL,
  rows int NOT NULL -- products that have it, in one chunk
) WITH (autovacuum_enabled = false);
