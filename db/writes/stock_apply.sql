-- Applies the next operations of the log, up to 10,000: changes the rows of their skus, stores the rejected ones, and moves the
-- offset, all or nothing. Needs the lock of stock_lock.sql. Returns
--   pos: the last applied offset, null when there was nothing to apply; operations: their number; rejected: of these
--   restocked: products that have another quantity now. Their styles replies are stale.
--   crossed: of these, where a sku has come into stock or gone out of it, so the card may change. They are locked: make their
--     documents (documents/rebuild.sql) before stock_commit.sql.
--   missed: if a write has moved or removed one of the skus since this statement began, the products of all. Then not all operations are
--     applied: roll back, lock these products first (lock_products.sql), and apply again.
WITH decided AS MATERIALIZED (
  SELECT
    *,
    coalesce(lag(after) OVER later, quantity) AS before,
    lead(pos) OVER later IS NULL AS is_last
  FROM (
    SELECT
      operation.*,
      style.product_id,
      known.style_id,
      known.quantity,
      catalog_log.stock_quantity(known.quantity, amount, adjusts, expected)
        OVER (PARTITION BY operation.sku ORDER BY operation.pos) AS after
    FROM (
      SELECT
        operation.sku,
        logged.pos - cardinality(logged.skus) + operation.place AS pos,
        operation.amount,
        operation.adjusts,
        operation.expected
      FROM catalog_log.stock_applied AS applied
      -- A row has at most 10,000 operations and offsets have no gap, so the next row is always among these.
      JOIN catalog_log.stock_log AS logged ON logged.pos BETWEEN applied.pos + 1 AND applied.pos + 10000
      CROSS JOIN LATERAL unnest(logged.skus, logged.amounts, logged.adjusts, logged.expected)
        WITH ORDINALITY AS operation (sku, amount, adjusts, expected, place)
      ORDER BY operation.sku, pos
      -- For the planner, which would expect millions and then read all skus.
      LIMIT 10000
    ) AS operation
    LEFT JOIN ({schema}.skus AS known JOIN {schema}.styles AS style ON style.id = known.style_id) ON known.id = operation.sku
  ) AS folded
  WINDOW later AS (PARTITION BY sku ORDER BY pos)
),
changed AS MATERIALIZED (
  SELECT *, (after > 0) <> (quantity > 0) AS crosses
  FROM decided
  WHERE is_last AND after <> quantity
  ORDER BY sku -- as put_rows.sql and remove_rows.sql, so that the two do not wait for each other
),
-- As writes of content do, before any row of the products: the other order would let the two wait for each other.
locked AS MATERIALIZED (
  SELECT id
  FROM {schema}.products
  WHERE id = ANY (ARRAY(SELECT product_id FROM changed WHERE crosses))
  ORDER BY id
  FOR NO KEY UPDATE
),
restocked AS (
  UPDATE {schema}.skus AS sku
  SET quantity = changed.after
  FROM changed
  WHERE sku.style_id = changed.style_id AND sku.id = changed.sku AND sku.quantity = changed.quantity
    AND (SELECT count(*) FROM locked) >= 0 -- first all locks
  RETURNING changed.product_id
),
refused AS (
  SELECT
    pos,
    sku,
    catalog_log.stock_refusal(before, amount, adjusts, expected) AS reason,
    CASE WHEN style_id IS NOT NULL THEN greatest(before, 0) END AS quantity
  FROM decided
),
rejected AS (
  INSERT INTO catalog_log.stock_rejects (pos, sku, reason, quantity)
  SELECT pos, sku, reason, quantity FROM refused WHERE reason IS NOT NULL
  RETURNING pos
),
moved AS (
  UPDATE catalog_log.stock_applied SET pos = latest.pos
  FROM (SELECT max(pos) AS pos FROM decided) AS latest
  WHERE latest.pos IS NOT NULL
  RETURNING latest.pos
)
SELECT
  (SELECT pos FROM moved) AS pos,
  (SELECT count(*)::int FROM decided) AS operations,
  (SELECT count(*)::int FROM rejected) AS rejected,
  ARRAY(SELECT DISTINCT product_id FROM restocked ORDER BY product_id) AS restocked,
  ARRAY(SELECT id FROM locked) AS crossed,
  CASE
    WHEN (SELECT count(*) FROM restocked) < (SELECT count(*) FROM changed)
    THEN ARRAY(SELECT DISTINCT product_id FROM changed)
    ELSE '{}'
  END AS missed
