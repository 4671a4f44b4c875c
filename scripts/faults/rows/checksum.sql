-- Rows and a digest of all that a load brings; without the times, which are those of the load.
SELECT count(*) || ' ' || sum(hashtextextended(source || content, 0)) AS sum
FROM (
  SELECT 'products' AS source, (to_jsonb(p) - 'created_at' - 'updated_at')::text AS content FROM catalog.products p
  UNION ALL SELECT 'styles', t::text FROM catalog.styles t
  UNION ALL SELECT 'photos', t::text FROM catalog.photos t
  UNION ALL SELECT 'skus', t::text FROM catalog.skus t
  UNION ALL SELECT 'features', t::text FROM catalog.features t
  UNION ALL SELECT 'related', t::text FROM catalog.related t
) rows
