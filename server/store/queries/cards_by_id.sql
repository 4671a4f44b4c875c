-- Cards in the order of their ids: $1 ids. Each id is one look-up by key, as in batch.sql. A product may have been deleted since the
-- search found it. When all were, the load is that of the table.
SELECT
  '[' || coalesce(string_agg(card.text, ','), '') || ']',
  coalesce(min(card.load_id), (SELECT load_id FROM catalog.cards ORDER BY id LIMIT 1)),
  coalesce(max(card.load_id), (SELECT load_id FROM catalog.cards ORDER BY id LIMIT 1))
FROM (
  SELECT found.text, found.load_id
  FROM unnest($1::int[]) WITH ORDINALITY AS wanted (id, place)
  CROSS JOIN LATERAL (
    SELECT head || ',"offer":' || offer || coalesce(',"fields":' || fields, '') || '}' AS text, load_id
    FROM catalog.cards
    WHERE cards.id = wanted.id
    LIMIT 1
  ) AS found
  ORDER BY wanted.place
) AS card
