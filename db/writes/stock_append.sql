-- Logs a group of operations: skus $1, amounts $2, whether each amount is added $3, expected quantities $4 (null where any will do).
-- Returns the position of the last one. It is durable, so it may be acknowledged, when the transaction has ended.
WITH head AS (UPDATE catalog_log.stock_head SET pos = pos + cardinality($1::int[]) RETURNING pos)
INSERT INTO catalog_log.stock_log (pos, skus, amounts, adjusts, expected)
SELECT pos, $1, $2::int[], $3::boolean[], $4::int[] FROM head
RETURNING pos
