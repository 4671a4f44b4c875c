-- The log of stock. An operation is durable once it is logged, and changes its row when it is applied (../writes/stock_*.sql). It
-- outlives loads.

-- The position of the last logged operation. A transaction that appends holds this row until it is on the disk, so positions have the
-- order of commits and no gap, as those of catalog_log.head.
CREATE TABLE catalog_log.stock_head (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  pos bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
INSERT INTO catalog_log.stock_head DEFAULT VALUES;

-- One row a group of requests, with an operation at each place of its arrays: 7 bytes each. A row is applied whole, so none has more
-- than fit into one transaction.
CREATE TABLE catalog_log.stock_log (
  pos bigint PRIMARY KEY, -- of its last operation; the others come right before it
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  skus int[] NOT NULL,
  amounts int[] NOT NULL, -- the new quantity, or what is added to the old one
  adjusts boolean[] NOT NULL, -- whether it is added
  expected int[] NOT NULL, -- the operation is refused unless this quantity is shown; null: never
  -- What could not be applied would stop all that is behind it.
  CHECK (cardinality(skus) BETWEEN 1 AND 10000),
  CHECK (cardinality(skus) = ALL (ARRAY[cardinality(amounts), cardinality(adjusts), cardinality(expected)])),
  CHECK (num_nulls(array_position(skus, NULL), array_position(amounts, NULL), array_position(adjusts, NULL)) = 3)
);

-- The position of the last applied operation. Who applies holds the row, so a second one waits and then begins behind the first.
CREATE TABLE catalog_log.stock_applied (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  pos bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
INSERT INTO catalog_log.stock_applied DEFAULT VALUES;

-- Operations that changed nothing, and why. The other operations of their row are applied.
CREATE TABLE catalog_log.stock_rejects (
  pos bigint PRIMARY KEY,
  sku int NOT NULL,
  reason text NOT NULL CHECK (reason IN ('unknown-sku', 'not-as-expected', 'out-of-range')),
  quantity int -- that was shown then; null for an unknown sku
);

-- Why an operation on a quantity (null for an unknown sku) is rejected, or null.
CREATE FUNCTION catalog_log.stock_refusal(quantity int, amount int, adjusts boolean, expected int) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE
  WHEN quantity IS NULL THEN 'unknown-sku'
  WHEN greatest(quantity, 0) <> expected THEN 'not-as-expected'
  WHEN adjusts AND quantity::bigint + amount NOT BETWEEN -2147483648 AND 2147483647 THEN 'out-of-range'
END;

CREATE FUNCTION catalog_log.stock_step(state int, quantity int, amount int, adjusts boolean, expected int) RETURNS int
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog AS $$
BEGIN
  state := coalesce(state, quantity);
  RETURN CASE
    WHEN catalog_log.stock_refusal(state, amount, adjusts, expected) IS NOT NULL THEN state
    WHEN adjusts THEN state + amount
    ELSE amount
  END;
END
$$;

-- The quantity after the operations of a sku in the order of the log, from the stored one. Each is judged by the quantity before it,
-- so rows and rejects are the same however the log is cut into transactions.
CREATE AGGREGATE catalog_log.stock_quantity(quantity int, amount int, adjusts boolean, expected int) (
  SFUNC = catalog_log.stock_step, STYPE = int
);

GRANT SELECT, UPDATE ON catalog_log.stock_head, catalog_log.stock_applied TO catalog_writer;
GRANT SELECT, INSERT ON catalog_log.stock_log, catalog_log.stock_rejects TO catalog_writer; -- nobody rewrites what was acknowledged

-- A catalog that an earlier release loaded lacks the function of ../schema/007_served.sql. It takes no writes, so none of its replies is
-- stale.
DO $$
DECLARE
  loaded text;
BEGIN
  FOR loaded IN SELECT nspname FROM pg_namespace WHERE nspname IN ('catalog', 'catalog_previous') LOOP
    EXECUTE format('CREATE FUNCTION %I.live_styles(int) RETURNS text LANGUAGE sql IMMUTABLE RETURN NULL', loaded);
  END LOOP;
END
$$;
