-- Fields of a shop's own: what fields.json of a load declares, and a column for the values.

CREATE TABLE catalog_meta.declarations (
  load_id int PRIMARY KEY REFERENCES catalog_meta.loads ON DELETE CASCADE,
  content json NOT NULL -- as db/fields.schema.json, with all members of each field; a load without fields has no row
);
GRANT SELECT ON catalog_meta.declarations TO catalog_api, catalog_writer;

-- Gives the tables of a catalog the columns that schema/*.sql makes, where they lack them.
CREATE FUNCTION catalog_meta.add_fields(catalog name) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
  lacking regclass;
  kind text;
BEGIN
  FOR lacking, kind IN
    SELECT class.oid, wanted.kind
    FROM (VALUES
      ('products', 'json'), ('styles', 'json'), ('skus', 'json'),
      ('product_documents', 'text'), ('cards', 'text'), ('loaded_products', 'text')
    ) AS wanted (name, kind)
    JOIN pg_class AS class ON class.relname = wanted.name AND class.relnamespace = to_regnamespace(quote_ident(catalog))
    WHERE NOT EXISTS (
      SELECT FROM pg_attribute WHERE attrelid = class.oid AND attname = 'fields' AND NOT attisdropped
    )
    ORDER BY wanted.name
  LOOP
    EXECUTE format('ALTER TABLE %s ADD COLUMN fields %s', lacking, kind);
  END LOOP;
END
$$;

SELECT catalog_meta.add_fields(name) FROM unnest(ARRAY['catalog', 'catalog_previous', 'catalog_staging']::name[]) AS name;

-- A loader of an earlier release makes tables without the columns. They get them in the transaction that serves them, so its
-- loads have no fields, and workers of this release can read them.
CREATE FUNCTION catalog_meta.add_served_fields() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  PERFORM catalog_meta.add_fields('catalog');
  RETURN NULL;
END
$$;
CREATE TRIGGER add_served_fields AFTER UPDATE ON catalog_meta.data_version
FOR EACH STATEMENT EXECUTE FUNCTION catalog_meta.add_served_fields();
