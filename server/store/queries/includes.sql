-- Not a query: the part of batch.sql and included_page.sql that makes one element of a list, `includes` in braces there. `product` is its row
-- of product_documents, $1 the names of includes. The order of the keys is part of the contract.
-- Documents that are not included are not read: a condition without a column is evaluated once, before its scan ("One-Time Filter").
-- The LIMITs keep every read a look-up by key, and the rows in their order: the planner cannot turn the joins around.
-- A swap may come between two names of tables. So each element has the lowest and the highest load_id of all its rows, where 0 is a
-- row that is missing.
LEFT JOIN LATERAL (
  SELECT offer, load_id
  FROM catalog.cards
  WHERE id = product.id AND 'offer' = ANY ($1::text[])
  LIMIT 1
) AS card ON true
LEFT JOIN LATERAL (
  -- The array behind {"product_id":"…","results": and before the last brace.
  SELECT
    left(
      substr(
        CASE WHEN state.styles_seq > state.built_seq THEN catalog.live_styles(document.id) ELSE document.body END, -- as in written_styles.sql
        28 + length(product.id::text)
      ),
      -1
    ) AS results,
    document.load_id
  FROM catalog.styles_documents AS document
  LEFT JOIN catalog.product_state AS state USING (id)
  WHERE document.id = product.id AND $1::text[] && '{styles,jsonld}'
  LIMIT 1
) AS styles ON true
LEFT JOIN LATERAL (
  SELECT
    coalesce(string_agg(text, ','), '') AS list,
    -- Without a card, the load is that of the table: it may be another one, which lacks these cards.
    coalesce(min(load_id), (SELECT load_id FROM catalog.cards ORDER BY id LIMIT 1), 0) AS min_load,
    max(load_id) AS max_load
  FROM (
    SELECT found.text, found.load_id
    FROM (
      SELECT id, min(place) AS place
      FROM unnest(string_to_array(btrim(product.related, '[]'), ',')::int[]) WITH ORDINALITY AS listed (id, place)
      WHERE id <> product.id
      GROUP BY id
    ) AS wanted
    CROSS JOIN LATERAL (
      SELECT head || ',"offer":' || offer || coalesce(',"fields":' || fields, '') || '}' AS text, load_id
      FROM catalog.cards
      WHERE id = wanted.id
      LIMIT 1
    ) AS found
    ORDER BY wanted.place
    LIMIT 50
  ) AS first
  HAVING 'related' = ANY ($1::text[]) -- a join with this condition would make the list and then drop it
) AS related ON true
CROSS JOIN LATERAL (
  SELECT
    product.head
      || CASE WHEN 'features' = ANY ($1::text[]) THEN ',"features":' || product.features ELSE '' END
      || coalesce(',"fields":' || product.fields, '')
      || CASE WHEN 'offer' = ANY ($1::text[]) THEN ',"offer":' || card.offer ELSE '' END
      || CASE WHEN 'styles' = ANY ($1::text[]) THEN ',"styles":' || styles.results ELSE '' END
      || CASE WHEN 'related' = ANY ($1::text[]) THEN ',"related":[' || related.list || ']' ELSE '' END
      || CASE WHEN 'related_ids' = ANY ($1::text[]) THEN ',"related_ids":' || product.related ELSE '' END
      -- In the place of JSON-LD, which the worker makes of it (catalog/json-ld.js).
      || CASE WHEN 'jsonld' = ANY ($1::text[]) THEN ',"@styles":' || styles.results ELSE '' END
      || '}' AS text,
    least(
      product.load_id,
      CASE WHEN 'offer' = ANY ($1::text[]) THEN coalesce(card.load_id, 0) END,
      CASE WHEN $1::text[] && '{styles,jsonld}' THEN coalesce(styles.load_id, 0) END,
      related.min_load
    ) AS min_load,
    greatest(product.load_id, card.load_id, styles.load_id, related.min_load, related.max_load) AS max_load
) AS element
