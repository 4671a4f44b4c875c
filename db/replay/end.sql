-- Ends a replay: the next one begins behind it.

UPDATE catalog_meta.loads
SET
  replayed_seq = head.seq,
  served_pos = applied.pos, -- until it is served: as far as it has the operations of stock
  replayed_from = (SELECT id FROM catalog_meta.loads WHERE state = 'live'),
  replayed_products = replayed_products + (SELECT count(DISTINCT product_id) FROM revised),
  replayed_operations = replayed_operations + (SELECT count(*) FROM operations)
FROM catalog_log.head
CROSS JOIN catalog_log.stock_applied AS applied
WHERE loads.id = {load_id};
