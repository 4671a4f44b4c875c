-- Tables that the search reads, filled by the step `search`. Empty after a load with --no-search: then the API has no search.
-- A position is the rank of a product in the order of ids, from 0. Chunk c has the positions c * 65536 to c * 65536 + 65535.
-- bits are the products of a key in a chunk: up to 4096 of them a sorted list of positions inside the chunk (16 bits each, low byte
-- first), else 65536 bits (bit i is 1 << (i & 7) of byte i >> 3). Bits are hardly smaller when compressed.

CREATE TABLE {schema}.search_sets (
  key text COLLATE "C" NOT NULL,
  chunk int NOT NULL,
  load_id int NOT NULL,
  rows int NOT NULL,
  bits bytea NOT NULL
) WITH (autovacuum_enabled = false);
ALTER TABLE {schema}.search_sets ALTER COLUMN bits SET STORAGE EXTERNAL;

-- Orders, words and facets as the engine keeps them, made by ../search/*.sql, and the code of the language whose forms words have.
CREATE TABLE {schema}.search_blobs (
  name text PRIMARY KEY,
  load_id int NOT NULL,
  body bytea NOT NULL
) WITH (autovacuum_enabled = false);
ALTER TABLE {schema}.search_blobs ALTER COLUMN body SET STORAGE EXTERNAL;

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
