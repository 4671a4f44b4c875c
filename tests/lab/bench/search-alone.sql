-- A search that PostgreSQL answers alone, for pgbench: total, first page by ts_rank, and a GROUP BY for each of six facets.
\set query random(1, :queries)
SELECT words, category FROM bench_search.queries WHERE id = :query \gset
WITH found AS MATERIALIZED (
  SELECT *, ts_rank(words, to_tsquery('simple', :words || ':*')) AS rank
  FROM bench_search.products WHERE words @@ to_tsquery('simple', :words || ':*') AND category = :category
)
SELECT (SELECT count(*)::int FROM found) AS total,
  (SELECT json_agg((head || ',"offer":' || offer || '}')::json ORDER BY n) FROM catalog.cards JOIN (
    SELECT id, row_number() OVER (ORDER BY rank DESC, id) AS n FROM found ORDER BY n LIMIT 24) AS page USING (id)) AS items,
  (SELECT json_object_agg(value, count) FROM (
    SELECT 'category=' || category AS value, count(*) FROM bench_search.products
    WHERE words @@ to_tsquery('simple', :words || ':*') GROUP BY category
    UNION ALL SELECT 'price=' || width_bucket(price, 0, 500, 10), count(*) FROM found GROUP BY 1
    UNION ALL SELECT 'size=' || size, count(*) FROM found, unnest(sizes) AS size GROUP BY size
    UNION ALL SELECT 'on_sale=' || on_sale, count(*) FROM found GROUP BY on_sale
    UNION ALL SELECT 'in_stock=' || in_stock, count(*) FROM found GROUP BY in_stock
    UNION ALL SELECT 'feature.' || feature, count(*) FROM found, unnest(features) AS feature GROUP BY feature) AS counted) AS facets;
