-- Replays the operations of stock that were accepted: sets as they are, and adjustments onto the quantities of the files. Those of
-- a sku that rows.sql has just made are in its quantity.

CREATE TEMP TABLE operations ON COMMIT DROP AS
SELECT
  operation.sku,
  logged.pos - cardinality(logged.skus) + operation.place AS pos,
  operation.amount,
  operation.adjusts
FROM catalog_meta.loads AS load
CROSS JOIN log
JOIN catalog_log.stock_log AS logged ON logged.pos > greatest(log.after_pos, load.served_pos) AND logged.pos <= log.stock_pos
CROSS JOIN LATERAL unnest(logged.skus, logged.amounts, logged.adjusts) WITH ORDINALITY AS operation (sku, amount, adjusts, place)
WHERE load.id = {load_id} AND NOT EXISTS (
  SELECT FROM catalog_log.stock_rejects WHERE stock_rejects.pos = logged.pos - cardinality(logged.skus) + operation.place
) AND (log.rest IS NULL OR EXISTS (
  SELECT
  FROM {served}.skus
  JOIN {served}.styles ON styles.id = skus.style_id
  WHERE skus.id = operation.sku AND styles.product_id = ANY (log.rest)
));
ANALYZE operations;

CREATE TEMP TABLE decided ON COMMIT DROP AS
SELECT
  *,
  lead(pos) OVER later IS NULL AS is_last,
  catalog_log.stock_refusal(coalesce(lag(after) OVER later, quantity), amount, adjusts, NULL) AS reason
FROM (
  SELECT
    operations.*, known.style_id, known.quantity,
    catalog_log.stock_quantity(known.quantity, amount, adjusts, NULL) OVER (PARTITION BY sku ORDER BY pos) AS after
  FROM operations
  LEFT JOIN {schema}.skus AS known ON known.id = sku
  WHERE sku NOT IN (SELECT id FROM new_skus WHERE id NOT IN (SELECT id FROM old_skus))
) AS folded
WINDOW later AS (PARTITION BY sku ORDER BY pos);

-- A sku that {served} lacks, too, was deleted by a later write.
INSERT INTO catalog_meta.rejected_writes (load_id, pos, sku, reason)
SELECT {load_id}, pos, sku, reason
FROM decided
WHERE reason IS NOT NULL AND (reason <> 'unknown-sku' OR EXISTS (SELECT FROM {served}.skus WHERE skus.id = decided.sku));

CREATE TEMP TABLE restocked (id int) ON COMMIT DROP;
WITH changed AS (
  UPDATE {schema}.skus
  SET quantity = decided.after
  FROM decided
  WHERE is_last AND skus.style_id = decided.style_id AND skus.id = decided.sku AND decided.after <> decided.quantity
  RETURNING decided.style_id
)
INSERT INTO restocked SELECT product_id FROM changed JOIN {schema}.styles ON styles.id = changed.style_id;
