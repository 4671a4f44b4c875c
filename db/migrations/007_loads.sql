-- Loads beside writes: from when on a load was served, so that what was written since is known, and what it lost.

ALTER TABLE catalog_meta.loads
  -- The commit that served it last, and the position of the stock log then.
  ADD COLUMN served_seq bigint,
  ADD COLUMN served_pos bigint,
  ADD COLUMN dropped text; -- writes that were not in it although they were served before it (--drop-writes)

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
