-- Names of products: $1 ids. JSON: cards without what they offer.
SELECT
  (SELECT load_id FROM catalog.search_blobs WHERE name = 'ids'),
  '[' || coalesce(string_agg(head || '}', ','), '') || ']'
FROM catalog.cards
WHERE id = ANY ($1::int[])
