-- Writes that are lost when load $1 is no longer served: the products that were written since it was loaded or, if $2, since it was served last,
-- and the operations of stock that were accepted since it was served last. Those that wait to be applied are not lost, but the
-- files cannot have them. Writes that were replayed onto the load are in no file either. What is hidden stays hidden.
SELECT
  (
    SELECT count(*)
    FROM {served}.product_state
    WHERE (NOT $2 OR greatest(product_seq, styles_seq) > coalesce(load.served_seq, 0))
      AND (product_state.id, greatest(product_seq, styles_seq)) NOT IN (SELECT id, seq FROM {served}.shown_only)
  ) + CASE WHEN $2 THEN 0 ELSE load.replayed_products END AS products,
  applied.pos - coalesce(load.served_pos, applied.pos)
    - (SELECT count(*) FROM catalog_log.stock_rejects WHERE pos > load.served_pos AND pos <= applied.pos)
    + CASE WHEN $2 THEN 0 ELSE load.replayed_operations END AS operations,
  head.pos - applied.pos AS waiting
FROM catalog_meta.loads AS load
CROSS JOIN catalog_log.stock_head AS head
CROSS JOIN catalog_log.stock_applied AS applied
WHERE load.id = $1
