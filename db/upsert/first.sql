-- The first {count} products and skus that a plan changes, a line each.
SELECT text
FROM (
  (
    SELECT 1 AS kind, product_id AS id, 'product ' || product_id || CASE phase WHEN 1 THEN ' (new)' ELSE '' END || ': ' || (line::json -> 'body') AS text
    FROM {upsert}.lines
    ORDER BY phase, product_id
    LIMIT {count}
  )
  UNION ALL
  (SELECT 2, id, 'sku ' || id || ': quantity ' || found_quantity || ' → ' || quantity FROM {upsert}.restocked ORDER BY id LIMIT {count})
) AS change
ORDER BY kind, id
