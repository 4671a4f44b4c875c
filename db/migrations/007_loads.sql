-- Loads beside writes: from when on a load was served, so that what was written since is known, and what it lost.

ALTER TABLE catalog_meta.loads
  -- The commit that served it last, and the position of the stock log then.
  ADD COLUMN served_seq bigint,
  ADD COLUMN served_pos bigint,
  ADD COLUMN dropped text, -- writes that were not in it although they were served before it (--drop-writes)
  -- Of --as-of: its files have the writes up to this commit, and those of the load that was served up to the other commit were replayed.
  ADD COLUMN as_of bigint,
  ADD COLUMN replayed_seq bigint,
  ADD COLUMN replayed_from int,
  ADD COLUMN replayed_products int NOT NULL DEFAULT 0,
  ADD COLUMN replayed_operations int NOT NULL DEFAULT 0,
  ADD COLUMN replayed_rows jsonb NOT NULL DEFAULT '{}'; -- by file: rows that it got by that before its documents were made

-- What could not be replayed onto a load, and why.
CREATE TABLE catalog_meta.rejected_writes (
  load_id int NOT NULL REFERENCES catalog_meta.loads ON DELETE CASCADE,
  seq bigint, -- commit of a revision
  pos bigint, -- operation of stock
  product_id int,
  sku int,
  path text, -- JSON pointer into the product
  reason text NOT NULL CHECK (reason IN ('unknown-product', 'unknown-style', 'unknown-sku', 'unknown-related', 'taken', 'out-of-range'))
);

-- Changes a content as a write changed it from `before` to `after`: as their merge patch does (RFC 7396), so other members stay. It makes
-- nothing of what `ours` lacks, and what both have made stays as it is in `ours`. NULL is no product or member.
CREATE FUNCTION catalog_log.replay(ours jsonb, before jsonb, after jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF before IS NOT DISTINCT FROM after OR (before IS NULL) <> (ours IS NULL) THEN
    RETURN ours;
  END IF;
  IF 'object' = ALL (ARRAY[jsonb_typeof(ours), jsonb_typeof(before), jsonb_typeof(after)]) THEN
    RETURN (
      SELECT coalesce(jsonb_object_agg(key, made) FILTER (WHERE made IS NOT NULL), '{}')
      FROM jsonb_each(ours) AS own
      FULL JOIN jsonb_each(before) AS old USING (key)
      FULL JOIN jsonb_each(after) AS new USING (key)
      CROSS JOIN LATERAL (
        SELECT CASE
          WHEN old.value IS NOT DISTINCT FROM new.value THEN own.value
          ELSE catalog_log.replay(own.value, old.value, new.value)
        END AS made
        OFFSET 0 -- else it would be made twice
      ) AS member
    );
  END IF;
  RETURN after;
END
$$;

-- JSON pointers of what replay() cannot change, as `ours` lacks it.
CREATE FUNCTION catalog_log.not_replayed(ours jsonb, before jsonb, after jsonb, at text DEFAULT '') RETURNS SETOF text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF before IS NULL OR after IS NULL OR before = after THEN
    RETURN;
  ELSIF ours IS NULL THEN
    RETURN NEXT at;
  ELSIF 'object' = ALL (ARRAY[jsonb_typeof(ours), jsonb_typeof(before), jsonb_typeof(after)]) THEN
    RETURN QUERY
    SELECT path
    FROM jsonb_each(before) AS old
    JOIN jsonb_each(after) AS new ON new.key = old.key AND new.value <> old.value
    LEFT JOIN jsonb_each(ours) AS own ON own.key = old.key
    CROSS JOIN LATERAL catalog_log.not_replayed(own.value, old.value, new.value, at || '/' || old.key) AS path;
  END IF;
END
$$;

CREATE FUNCTION catalog_log.replay_step(state jsonb, ours jsonb, before jsonb, after jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE
RETURN coalesce(catalog_log.replay(nullif(coalesce(state, ours), 'null'), before, after), 'null');

-- The content after the revisions of a product in their order; JSON's null: no product.
CREATE AGGREGATE catalog_log.replayed(ours jsonb, before jsonb, after jsonb) (SFUNC = catalog_log.replay_step, STYPE = jsonb);

-- A catalog that is loaded already gets what a load makes in schema/002_documents.sql.
DO $$
DECLARE
  loaded text;
BEGIN
  FOR loaded IN SELECT nspname FROM pg_namespace WHERE nspname IN ('catalog', 'catalog_previous') LOOP
    EXECUTE format('CREATE TABLE IF NOT EXISTS %1$I.loaded_products (id int PRIMARY KEY, head text, features text, body text); '
      'CREATE TABLE IF NOT EXISTS %1$I.loaded_cards (id int PRIMARY KEY, offer text); '
      'ALTER TABLE %1$I.loaded_products ADD COLUMN feature_rows int, ADD COLUMN related_rows int, ADD COLUMN style_rows int, '
      'ADD COLUMN photo_rows int, ADD COLUMN sku_rows int', loaded);
  END LOOP;
END
$$;
