-- A database may come back as it was, from a snapshot of its disk, a copy of its files or a dump that was restored by hand. It then gives the
-- numbers of lost commits again, and caches have replies of those. What holds the rows is another server or file then, or PostgreSQL has another
-- transaction for them (xmin) than they say.

ALTER TABLE catalog_log.head
  ADD COLUMN server text, -- that had the last commit: when it was started, and its file of this table
  ADD COLUMN origin text, -- the cluster, the database and this table: others were made by a restore
  ADD COLUMN written_by xid8; -- the transaction of the last update: a restore, but also a savepoint, puts the row there by another

CREATE FUNCTION catalog_log.this_server() RETURNS text
LANGUAGE sql STABLE
RETURN extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('catalog_log.head');

CREATE FUNCTION catalog_log.this_origin() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT concat_ws(' ', system_identifier, pg_database.oid, 'catalog_log.head'::regclass::oid)
  FROM pg_control_system(), pg_database
  WHERE datname = current_database()
$$;

CREATE FUNCTION catalog_log.add_written_by() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  NEW.written_by := pg_current_xact_id();
  RETURN NEW;
END
$$;
CREATE TRIGGER add_written_by BEFORE UPDATE ON catalog_log.head
FOR EACH ROW EXECUTE FUNCTION catalog_log.add_written_by();

CREATE FUNCTION catalog_log.is_put_back() RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT coalesce(xmin <> written_by::xid, false) FROM catalog_log.head
$$;

CREATE FUNCTION catalog_log.is_elsewhere() RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT server IS DISTINCT FROM catalog_log.this_server() OR catalog_log.is_put_back() FROM catalog_log.head
$$;

CREATE OR REPLACE FUNCTION catalog_log.begin_era() RETURNS int
LANGUAGE sql SET search_path = pg_catalog AS $$
  SELECT catalog_meta.bump_version() FROM catalog_meta.data_version WHERE version > 0; -- an empty catalog keeps version 0
  UPDATE catalog_log.head
  SET
    era = greatest(era + 1, extract(epoch FROM clock_timestamp() - timestamptz '2020-01-01 00:00+00')::int),
    server = catalog_log.this_server(),
    origin = catalog_log.this_origin()
  RETURNING era;
$$;

-- Gives cache keys another data version if another server has the catalog than at the last commit: nobody knows whether some are lost. After
-- a restore also cursors another era. The writer calls it when it finds another, within a second, and each commit does if need be. A function,
-- since the writer may change neither by itself.
CREATE FUNCTION catalog_log.note_server() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM catalog_meta.data_version FOR UPDATE; -- another may do this now
  IF NOT FOUND THEN
    RETURN; -- a restore has not come to it
  END IF;
  IF NOT catalog_log.is_elsewhere() THEN
    RETURN;
  ELSIF catalog_log.is_put_back() OR (SELECT origin <> catalog_log.this_origin() FROM catalog_log.head) THEN
    PERFORM catalog_log.begin_era();
  ELSE
    PERFORM catalog_meta.bump_version() FROM catalog_meta.data_version WHERE version > 0;
    UPDATE catalog_log.head SET server = catalog_log.this_server(), origin = catalog_log.this_origin();
  END IF;
END
$$;
REVOKE ALL ON FUNCTION catalog_log.note_server FROM PUBLIC;
GRANT EXECUTE ON FUNCTION catalog_log.note_server TO catalog_writer;

-- A database that is loaded already may have been restored just now.
UPDATE catalog_log.head
SET server = catalog_log.this_server(), origin = catalog_log.this_origin()
FROM catalog_meta.data_version
WHERE version = 0;

-- As before, and notes the server first.
CREATE OR REPLACE FUNCTION catalog_log.append(
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
  IF catalog_log.is_elsewhere() THEN
    PERFORM catalog_log.note_server();
  END IF;
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
