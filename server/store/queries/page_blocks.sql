-- All blocks in one row: 15,626 of them for a million products.
SELECT
  coalesce(json_agg(first_id ORDER BY first_id), '[]'),
  coalesce(json_agg(rows ORDER BY first_id), '[]'),
  (SELECT counted_seq FROM catalog_log.head),
  min(load_id),
  max(load_id)
FROM catalog.page_blocks
