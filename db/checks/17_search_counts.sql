-- title: the search lists each value of a facet with the products of its sets
-- cause: sets or the list of facets were changed
SELECT count(*)
FROM (
  SELECT
    CASE
      WHEN facet ->> 0 IN ('on_sale', 'in_stock') THEN 'f:' || (facet ->> 0)
      ELSE 'f:' || replace(replace(facet ->> 0, '%', '%25'), '=', '%3D') || '=' || (value ->> 0)
    END AS key,
    (value ->> 1)::bigint AS rows
  FROM {schema}.search_blobs
  CROSS JOIN LATERAL json_array_elements(convert_from(body, 'UTF8')::json) AS named (facet)
  CROSS JOIN LATERAL json_array_elements(facet -> 1) AS counted (value)
  WHERE name = 'facets'
) AS listed
FULL JOIN (SELECT key, sum(rows) AS rows FROM {schema}.search_sets WHERE key LIKE 'f:%' GROUP BY key) AS stored USING (key)
WHERE listed.rows IS DISTINCT FROM stored.rows
