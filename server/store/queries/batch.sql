-- Products in the order of their ids: $1 names of includes, $2 ids; null for an unknown one. Each id is one look-up by key.
-- WITH ORDINALITY gives the rows in their order, and the join keeps it: nothing is sorted.
SELECT
  '[' || string_agg(coalesce(item.text, 'null'), ',') || ']',
  min(item.min_load),
  max(item.max_load)
FROM (
  SELECT item.text, item.min_load, item.max_load
  FROM unnest($2::int[]) WITH ORDINALITY AS wanted (id, place)
  LEFT JOIN LATERAL (
    SELECT element.text, element.min_load, element.max_load
    FROM catalog.product_documents AS product
    {includes}
    WHERE product.id = wanted.id
    LIMIT 1
  ) AS item ON true
  ORDER BY wanted.place
) AS item
