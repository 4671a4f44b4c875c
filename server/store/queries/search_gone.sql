-- Products of the load or of later writes that are deleted or hidden now; no rows when $1 is the last commit.
SELECT
  (SELECT load_id FROM catalog.search_blobs WHERE name = 'ids'),
  head.era,
  head.seq,
  (
    SELECT '[' || coalesce(string_agg(before.id::text, ',' ORDER BY before.id), '') || ']'
    FROM catalog.loaded_products AS before
    WHERE NOT EXISTS (SELECT FROM catalog.product_documents AS product WHERE product.id = before.id)
  )
FROM catalog_log.head
WHERE head.seq > $1::bigint
