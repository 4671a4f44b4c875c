-- The rows of a part, as its files have them; `position` is the line. A column that its file lacks is null. They are needed until the plan is made,
-- which is logged: after a crash the same command sends the rest of it.

CREATE UNLOGGED TABLE {upsert}.products (
  id int, name text, slogan text, description text, category text, default_price numeric, fields json, position int
);
CREATE UNLOGGED TABLE {upsert}.styles (
  id int, product_id int, name text, sale_price numeric, original_price numeric, is_default boolean, fields json, position int
);
CREATE UNLOGGED TABLE {upsert}.photos (id int, style_id int, url text, thumbnail_url text, position int);
CREATE UNLOGGED TABLE {upsert}.skus (id int, style_id int, size text, quantity int, fields json, position int);
CREATE UNLOGGED TABLE {upsert}.related (id int, product_id int, related_product_id int, position int);
CREATE UNLOGGED TABLE {upsert}.features (id int, product_id int, feature text, value text, position int);
CREATE UNLOGGED TABLE {upsert}.prices (id int, original_price numeric, sale_price numeric, position int);
CREATE UNLOGGED TABLE {upsert}.quantities (id int, quantity int, position int);

-- The one row of a plan. `name` begins the idempotency keys of its requests: of the run, not of its files, which may be sent again next day.
CREATE TABLE {upsert}.run (
  name uuid NOT NULL DEFAULT gen_random_uuid(),
  fingerprint text NOT NULL,
  directory text NOT NULL,
  done int NOT NULL DEFAULT 0 -- the last request that the writer has answered whole
);
-- Requests to the writer, in this order. A request that is sent again has the same bytes.
CREATE TABLE {upsert}.requests (place int PRIMARY KEY, path text NOT NULL, rows int NOT NULL, body text NOT NULL);
-- Writes that it refused.
CREATE TABLE {upsert}.refused_writes (place int NOT NULL, kind text NOT NULL, id int, status int NOT NULL, problem text NOT NULL);
-- The report of a run: a row a file.
CREATE TABLE {upsert}.report (place int NOT NULL, cells text[] NOT NULL);

-- A price as replies have it.
CREATE FUNCTION {upsert}.shown(price numeric) RETURNS text
LANGUAGE sql IMMUTABLE STRICT
RETURN round(price, greatest(scale(price), 2))::text;

-- The members that differ from those of another object, or that it lacks.
CREATE FUNCTION {upsert}.differing(wanted jsonb, found jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE
RETURN (
  SELECT coalesce(jsonb_object_agg(key, value), '{}')
  FROM jsonb_each(wanted)
  WHERE value IS DISTINCT FROM found -> key
);

-- As a member: the fields of a row that differ. `names` has a null for each field that the file has: an empty value takes the field away.
CREATE FUNCTION {upsert}.differing_fields(names jsonb, wanted json, found json) RETURNS jsonb
LANGUAGE sql IMMUTABLE
RETURN (
  SELECT CASE WHEN fields = '{}' THEN fields ELSE jsonb_build_object('fields', fields) END
  FROM (
    SELECT CASE
      WHEN wanted IS NULL THEN '{}'
      ELSE {upsert}.differing(names || wanted::jsonb, names || coalesce(found, '{}')::jsonb)
    END AS fields
  ) AS own
);
