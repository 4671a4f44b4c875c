-- The rows of the six files. {schema} is the schema of a load.
-- `fields` is what fields.json declares (etl/declaration.py): JSON in declared order, without spaces; null where it declares none.
-- Keys are built after the rows (../indexes.sql). Autovacuum is off until the swap: it would read the tables while keys are built,
-- and each build would wait for it.

CREATE TABLE {schema}.products (
  id int NOT NULL,
  name text NOT NULL,
  slogan text NOT NULL,
  description text NOT NULL,
  category text NOT NULL,
  default_price numeric NOT NULL,
  fields json
) WITH (autovacuum_enabled = false);

CREATE TABLE {schema}.styles (
  id int NOT NULL,
  product_id int NOT NULL,
  name text NOT NULL,
  sale_price numeric,
  original_price numeric NOT NULL,
  is_default boolean NOT NULL,
  fields json
) WITH (autovacuum_enabled = false);

-- position is the line in the file: the API returns photos, features and related products in file order.
CREATE TABLE {schema}.photos (
  id int NOT NULL,
  style_id int NOT NULL,
  position int NOT NULL,
  url text NOT NULL,
  thumbnail_url text NOT NULL
) WITH (autovacuum_enabled = false);

CREATE TABLE {schema}.skus (
  id int NOT NULL,
  style_id int NOT NULL,
  size text NOT NULL,
  quantity int NOT NULL,
  fields json
) WITH (autovacuum_enabled = false, fillfactor = 90); -- room for new quantities: into a full page they cost twice as much

CREATE TABLE {schema}.features (
  id int NOT NULL,
  product_id int NOT NULL,
  position int NOT NULL,
  feature text NOT NULL,
  value text
) WITH (autovacuum_enabled = false);

CREATE TABLE {schema}.related (
  id int NOT NULL,
  product_id int NOT NULL,
  position int NOT NULL,
  related_product_id int NOT NULL
) WITH (autovacuum_enabled = false);
