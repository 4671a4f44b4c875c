-- Files may have any id, also those that the sequences would give next to what is new.

-- Moves a sequence past the ids of a table that are above it: to where most numbers are free, since a file may also have the last number.
CREATE FUNCTION catalog_log.pass_ids(given regclass, loaded regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  passed int;
BEGIN
  EXECUTE format(
    'WITH ids AS (
      SELECT last_value - (NOT is_called)::int AS id FROM %1$s
      UNION ALL
      SELECT id FROM %2$s WHERE id > (SELECT last_value - (NOT is_called)::int FROM %1$s)
    )
    SELECT nullif(first_value(id) OVER (ORDER BY free DESC, id), min(id) OVER ())
    FROM (SELECT id, lead(id, 1, 2147483648) OVER (ORDER BY id) - id AS free FROM ids) AS gap
    LIMIT 1',
    given, loaded
  ) INTO passed;
  IF passed IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(catalog_log.gate()); -- no write takes numbers meanwhile
    EXECUTE format('SELECT setval(%L, greatest(last_value, $1)) FROM %s', given, given) USING passed;
  END IF;
END
$$;

DO $$
DECLARE
  loaded record;
BEGIN
  FOR loaded IN
    SELECT 'catalog_log.' || rtrim(relname, 's') || '_ids' AS given, pg_class.oid::regclass AS rows
    FROM pg_class
    WHERE relnamespace::regnamespace::text IN ('catalog', 'catalog_previous', 'catalog_staging') AND relname IN ('products', 'styles', 'skus')
  LOOP
    PERFORM catalog_log.pass_ids(loaded.given::regclass, loaded.rows);
  END LOOP;
END
$$;

ALTER TABLE catalog_meta.loads
  ADD COLUMN began_seq bigint, -- the last commit when a load began to read its files: a product that is created later is in none of them
  ADD COLUMN as_of_index int; -- of as_of, the last change that the files have; null: all of that commit
