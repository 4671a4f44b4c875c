-- Hidden products: a reader finds none, and a writer all of them. No load replaces what is hidden.

CREATE TABLE catalog_meta.hidden_products (
  id int PRIMARY KEY, -- also of a product that was published again, deleted, or left out by a load
  is_hidden boolean NOT NULL,
  hides_at timestamptz, -- what happens next; null: nothing
  shows_at timestamptz,
  asked jsonb, -- by whom, why and when, the last time
  CHECK (hides_at IS NULL OR shows_at IS NULL OR hides_at <> shows_at)
);
ALTER TABLE catalog_meta.loads ADD COLUMN hidden int[]; -- what the manifest of an export hides, in a database that never heard of it
CREATE INDEX hidden_products_by_time ON catalog_meta.hidden_products (least(hides_at, shows_at));
GRANT SELECT, INSERT, UPDATE ON catalog_meta.hidden_products TO catalog_writer;

-- Gives a catalog that an earlier release loaded what schema/*.sql makes.
CREATE FUNCTION catalog_meta.add_hidden(catalog name) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF to_regclass(format('%I.product_documents', catalog)) IS NULL OR to_regclass(format('%I.hidden_documents', catalog)) IS NOT NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE %I.hidden_documents (id int PRIMARY KEY, load_id int NOT NULL, created_at timestamptz NOT NULL, '
    'updated_at timestamptz NOT NULL, content bigint NOT NULL, head text NOT NULL, features text NOT NULL, related text NOT NULL, '
    'fields text, digest bigint NOT NULL, body text NOT NULL, feature_rows int NOT NULL, related_rows int NOT NULL, '
    'style_rows int NOT NULL, photo_rows int NOT NULL, sku_rows int NOT NULL)', catalog);
  EXECUTE format('CREATE TABLE %I.shown_only (id int PRIMARY KEY, seq bigint NOT NULL)', catalog);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE ON %I.shown_only TO catalog_writer', catalog);
  EXECUTE format('GRANT SELECT (id) ON %I.hidden_documents TO catalog_api', catalog);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I.hidden_documents TO catalog_writer', catalog);
  IF to_regclass(format('%I.sku_replies', catalog)) IS NOT NULL THEN
    EXECUTE format('CREATE OR REPLACE VIEW %1$I.sku_replies AS %2$s '
      'WHERE NOT EXISTS (SELECT FROM %1$I.hidden_documents AS hidden WHERE hidden.id = product.id)', catalog,
      rtrim(pg_get_viewdef(format('%I.sku_replies', catalog)::regclass), ';'));
  END IF;
END
$$;
SELECT catalog_meta.add_hidden(name) FROM unnest(ARRAY['catalog', 'catalog_previous', 'catalog_staging']::name[]) AS name;

-- A loader of an earlier release makes tables without it. They get it in the transaction that serves them, so workers and writers can read them.
CREATE FUNCTION catalog_meta.add_served_hidden() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  PERFORM catalog_meta.add_hidden('catalog');
  RETURN NULL;
END
$$;
CREATE TRIGGER add_served_hidden AFTER UPDATE ON catalog_meta.data_version
FOR EACH STATEMENT EXECUTE FUNCTION catalog_meta.add_served_hidden();
