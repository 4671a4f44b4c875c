-- Rows and a digest of all that a load brings and of what is served of it; without times and the number of the load.
SELECT count(*) || ' ' || sum(hashtextextended(source || content, 0)) AS sum
FROM (
  SELECT 'products' AS source, t::text AS content FROM catalog.products t
  UNION ALL SELECT 'styles', t::text FROM catalog.styles t
  UNION ALL SELECT 'photos', t::text FROM catalog.photos t
  UNION ALL SELECT 'skus', t::text FROM catalog.skus t
  UNION ALL SELECT 'features', t::text FROM catalog.features t
  UNION ALL SELECT 'related', t::text FROM catalog.related t
  UNION ALL
  SELECT 'product reply', regexp_replace((to_jsonb(t) - '{load_id,created_at,updated_at}'::text[])::text, '_at\\":\\"[^"\\]*', '_at', 'g')
  FROM catalog.product_documents t
  UNION ALL SELECT 'styles reply', (to_jsonb(t) - 'load_id')::text FROM catalog.styles_documents t
  UNION ALL SELECT 'card', (to_jsonb(t) - 'load_id')::text FROM catalog.cards t
  UNION ALL SELECT 'page block', (to_jsonb(t) - 'load_id')::text FROM catalog.page_blocks t
  UNION ALL SELECT 'search set', (to_jsonb(t) - 'load_id')::text FROM catalog.search_sets t
  UNION ALL SELECT 'search list', (to_jsonb(t) - 'load_id')::text FROM catalog.search_blobs t
) rows
