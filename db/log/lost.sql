-- What is lost when load $1 is no longer served: the products that were written since it was loaded or, if $2, since it was served last,
-- and the operations of stock that were applied since it was served last. Those that wait to be applied are not lost, but the
-- files cannot have them.
SELECT
  (
    SELECT count(*)
    FROM {served}.product_state
    WHERE NOT $2 OR greatest(product_seq, styles_seq) > coalesce(load.served_seq, 0)
  ) AS products,
  applied.pos - coalesce(load.served_pos, applied.pos) AS operations,
  head.pos - applied.pos AS waiting
FROM catalog_meta.loads AS load
CROSS JOIN catalog_log.stock_head AS head
CROSS JOIN catalog_log.stock_applied AS applied
WHERE load.id = $1
