-- As export_card.sql, of the replies that batch.sql gives: $1 names of includes, $2 the last id already sent, $3 count. A swap may come between
-- its tables, so its last two columns are the lowest and the highest load of all rows, and a piece of two loads is read again.
SELECT
  coalesce(string_agg(text || E'\n', ''), ''),
  max(id),
  count(*),
  max(max_load),
  (SELECT seq FROM catalog_log.head),
  min(min_load),
  max(max_load)
FROM (
  SELECT product.id, element.text, element.min_load, element.max_load
  FROM (
    SELECT id, load_id, head, features, fields, related
    FROM catalog.product_documents
    WHERE id > $2
    ORDER BY id
    LIMIT $3
  ) AS product
  {includes}
  ORDER BY product.id
) AS piece
