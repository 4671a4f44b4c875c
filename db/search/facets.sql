-- JSON: each facet with its values and their products, most products first, then by bytes, and for a feature the products that have
-- it. Features follow the other facets in the same order. A key is f:NAME=VALUE, with %25 and %3D for % and = in the name, or f:NAME, whose value is true.
WITH valued AS (
  SELECT
    replace(replace(substr(split_part(key, '=', 1), 3), '%3D', '='), '%25', '%') AS name,
    CASE WHEN key IN ('f:on_sale', 'f:in_stock') THEN 'true' ELSE substr(key, strpos(key, '=') + 1) END AS value,
    sum(rows) AS rows
  FROM {schema}.search_sets
  WHERE key LIKE 'f:%'
  GROUP BY key
), facet AS (
  SELECT name, string_agg('[' || to_json(value) || ',' || rows || ']', ',' ORDER BY rows DESC, value) AS list
  FROM valued
  GROUP BY name
), feature AS (
  SELECT 'feature.' || feature AS name, sum(rows) AS rows FROM {schema}.search_features GROUP BY feature
)
SELECT convert_to(
  '[' || string_agg(
    '[' || to_json(name) || ',[' || coalesce(list, '') || ']' || coalesce(',' || rows, '') || ']', ','
    ORDER BY array_position(ARRAY['category', 'size', 'stock.size', 'on_sale', 'in_stock'], name), rows DESC, name COLLATE "C"
  ) || ']',
  'UTF8'
)
FROM unnest(ARRAY['category', 'size', 'stock.size', 'on_sale', 'in_stock']) AS always (name)
FULL JOIN facet USING (name)
LEFT JOIN feature USING (name)
