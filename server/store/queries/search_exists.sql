-- A row if the load has search, or none.
SELECT load_id
FROM catalog.search_blobs
WHERE name = 'ids'
