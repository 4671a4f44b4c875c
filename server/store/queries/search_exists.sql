-- Whether the load has search: a row or none.
SELECT load_id
FROM catalog.search_blobs
WHERE name = 'ids'
