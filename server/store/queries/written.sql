-- Writes since a commit, as one state: $1 the commit, -1 for the load; $2 ids of further products, $3 most products of `since`
-- whose rows are returned. When the log does not begin with the next commit, since the load: then some are read again.
WITH log AS (
  SELECT
    era,
    seq,
    seq = $1::bigint OR EXISTS (SELECT FROM catalog_log.commits WHERE commits.seq = $1::bigint + 1) AS is_whole
  FROM catalog_log.head
), since AS MATERIALIZED (
  SELECT id
  FROM catalog_log.commits
  CROSS JOIN unnest(created || updated || deleted || cards) AS id
  WHERE commits.seq > $1::bigint AND (SELECT is_whole FROM log)
  UNION
  SELECT id FROM catalog.loaded_products WHERE NOT (SELECT is_whole FROM log)
  UNION
  SELECT id FROM catalog.loaded_cards WHERE NOT (SELECT is_whole FROM log)
), wanted AS (
  SELECT unnest($2::int[]) AS id
  UNION
  SELECT id FROM (SELECT id FROM since ORDER BY id LIMIT $3::int) AS first
)
SELECT
  (SELECT load_id FROM catalog.search_blobs WHERE name = 'ids'),
  log.era,
  log.seq,
  (SELECT '[' || coalesce(string_agg(id::text, ','), '') || ']' FROM since),
  (
    SELECT '[' || coalesce(string_agg(
      '{"id":' || wanted.id
        || ',"content":' || CASE
          WHEN before.id IS NULL THEN 'null'
          ELSE '{"before":' || coalesce(before.head || ',"features":' || before.features || coalesce(',"fields":' || before.fields, '')
              || ',"styles":' || before.body || '}', 'null')
            || ',"after":' || coalesce(product.head || ',"features":' || product.features || coalesce(',"fields":' || product.fields, '')
              || ',"styles":' || styles.body || '}', 'null')
            || '}'
        END
        || ',"offer":' || CASE
          WHEN card_before.id IS NULL THEN 'null'
          ELSE '{"before":' || coalesce(card_before.offer, 'null') || ',"after":' || coalesce(card.offer, 'null') || '}'
        END
        || '}',
      ','
    ), '') || ']'
    FROM wanted
    LEFT JOIN catalog.loaded_products AS before ON before.id = wanted.id
    LEFT JOIN catalog.product_documents AS product ON product.id = before.id
    LEFT JOIN catalog.styles_documents AS styles ON styles.id = before.id
    LEFT JOIN catalog.loaded_cards AS card_before ON card_before.id = wanted.id
    LEFT JOIN catalog.cards AS card ON card.id = card_before.id
  )
FROM log
