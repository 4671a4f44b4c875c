-- The log of what changed the catalog: loads and writes. It outlives loads. The feed, the caches and the search read it by their own
-- cursors.

CREATE SCHEMA catalog_log;

-- The number of the last commit. A transaction takes its number as late as it can and holds this row until it is on the disk. So
-- numbers have the order of commits and no gap, and a reader that sees one sees all before it, on a replica too. A sequence gives numbers before
-- the commit: a reader would skip the number of a transaction that is still open.
CREATE TABLE catalog_log.head (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Grows with a promotion or a restore, after which numbers may repeat.
  era int NOT NULL DEFAULT 1,
  seq bigint NOT NULL DEFAULT 0,
  -- Of the last writes since the load that changed what lists show, and which products there are; 0 for none. Replies that show many
  -- products have them in their cache keys.
  listed_seq bigint NOT NULL DEFAULT 0,
  counted_seq bigint NOT NULL DEFAULT 0,
  is_written boolean NOT NULL DEFAULT false, -- since the load
  -- Of the last commit. It grows with each one, even if the machine's clock was set back.
  at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 10);
INSERT INTO catalog_log.head DEFAULT VALUES;

-- One row a transaction, with the products that it changed. Arrays, because a load or a flush of stock changes thousands at once.
CREATE TABLE catalog_log.commits (
  seq bigint PRIMARY KEY,
  at timestamptz NOT NULL,
  kind text NOT NULL CHECK (kind IN ('load', 'unswap', 'content', 'stock')),
  load_id int NOT NULL, -- served after it
  -- Of a load that changed more than a fifth of the products: any may have changed, and the lists are empty.
  is_whole boolean NOT NULL,
  created int[] NOT NULL,
  updated int[] NOT NULL, -- its product, styles or related reply, and more than quantities
  deleted int[] NOT NULL,
  restocked int[] NOT NULL, -- only quantities in its styles reply
  cards int[] NOT NULL, -- of all these, those with another card
  stock_pos bigint -- of a commit of stock: the last operation that it applied
);

-- Appends a commit, and marks its products in the served schema for readers that start later. Call it as the last statement of a
-- transaction: others wait for the row of head from here on. Returns the number.
-- `seen` is the number of head before the documents of the listed products were made, except those of products that are only restocked.
-- If a commit after `seen` lists one of them too, its styles reply stays stale, as its quantities may be older than the rows. Without
-- `seen`, any earlier commit counts.
CREATE FUNCTION catalog_log.append(
  kind text,
  load_id int,
  created int[] DEFAULT '{}',
  updated int[] DEFAULT '{}',
  deleted int[] DEFAULT '{}',
  restocked int[] DEFAULT '{}',
  cards int[] DEFAULT '{}',
  is_whole boolean DEFAULT false,
  stock_pos bigint DEFAULT NULL,
  seen bigint DEFAULT NULL
) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  is_write CONSTANT boolean := kind IN ('content', 'stock');
  new record;
BEGIN
  UPDATE catalog_log.head
  SET
    seq = seq + 1,
    listed_seq = CASE WHEN NOT is_write THEN 0 WHEN kind = 'content' OR cards <> '{}' THEN seq + 1 ELSE listed_seq END,
    counted_seq = CASE WHEN NOT is_write THEN 0 WHEN created <> '{}' OR deleted <> '{}' THEN seq + 1 ELSE counted_seq END,
    is_written = is_write,
    at = greatest(clock_timestamp(), at + interval '1 microsecond')
  RETURNING seq, at INTO new;
  INSERT INTO catalog_log.commits VALUES (
    new.seq, new.at, append.kind, append.load_id, append.is_whole,
    append.created, append.updated, append.deleted, append.restocked, append.cards, append.stock_pos
  );
  IF is_write THEN
    -- In the order of ids, so that two transactions cannot wait for each other.
    INSERT INTO catalog.product_state AS state (id, product_seq, styles_seq, built_seq)
    SELECT
      id,
      CASE WHEN bool_or(is_content) THEN new.seq ELSE 0 END,
      new.seq,
      CASE WHEN bool_or(is_built) THEN new.seq ELSE 0 END
    FROM (
      SELECT unnest(created || updated || deleted) AS id, true AS is_content, true AS is_built
      UNION ALL
      SELECT unnest(restocked), false, false
      UNION ALL
      SELECT unnest(cards), false, true
    ) AS changed
    GROUP BY id
    ORDER BY id
    ON CONFLICT (id) DO UPDATE
    SET
      product_seq = greatest(state.product_seq, excluded.product_seq),
      styles_seq = excluded.styles_seq,
      built_seq = CASE WHEN state.styles_seq <= seen THEN greatest(state.built_seq, excluded.built_seq) ELSE state.built_seq END;
  END IF;
  RETURN new.seq;
END
$$;

-- The advisory lock between writes and the loader: each transaction that writes takes it shared as its first statement, a swap
-- takes it alone. Renames wait for no open transaction: without the lock, the earlier statements of a write would change the old
-- catalog and the later ones the new one. The loader's own two numbers are below this one (etl/database.py).
CREATE FUNCTION catalog_log.gate() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 7161132844275689219';

-- What the documents of a load were compared with: the load that was served, or NULL when there was none to compare with, and the
-- last commit then.
ALTER TABLE catalog_meta.loads ADD COLUMN compared_with int, ADD COLUMN compared_seq bigint;

-- A catalog that an earlier release loaded gets the table that a load makes in schema/007_served.sql.
DO $$
DECLARE
  loaded text;
BEGIN
  FOR loaded IN SELECT nspname FROM pg_namespace WHERE nspname IN ('catalog', 'catalog_previous') LOOP
    EXECUTE format('CREATE TABLE %I.product_state (id int PRIMARY KEY, product_seq bigint NOT NULL, styles_seq bigint NOT NULL, '
      'built_seq bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50)', loaded);
    EXECUTE format('GRANT SELECT ON %I.product_state TO catalog_api, catalog_writer', loaded);
  END LOOP;
END
$$;

GRANT USAGE ON SCHEMA catalog_log TO catalog_api, catalog_writer;
GRANT SELECT ON catalog_log.head, catalog_log.commits TO catalog_api, catalog_writer;
GRANT UPDATE ON catalog_log.head TO catalog_writer;
GRANT INSERT ON catalog_log.commits TO catalog_writer; -- nobody rewrites history through the service
GRANT USAGE ON SCHEMA catalog_meta TO catalog_writer;
GRANT SELECT ON catalog_meta.data_version TO catalog_writer;
GRANT SELECT (id, state, campus) ON catalog_meta.loads TO catalog_writer;
