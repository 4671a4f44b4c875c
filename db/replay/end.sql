-- Ends a replay: the next one begins behind it.

UPDATE catalog_meta.loads
SET
  replayed_seq = head.seq,
  replayed_from = (SELECT id FROM catalog_meta.loads WHERE state = 'live'),
  replayed_products = replayed_products + (SELECT count(DISTINCT product_id) FROM revised),
  replayed_operations = replayed_operations + (SELECT count(*) FROM operations)
FROM catalog_log.head
WHERE loads.id = {load_id};
