-- How many rows of each file writes have added to what load {load_id} made of them; fewer: negative. They are counted in the replies, as
-- documents/rebuild.sql keeps the counts of the load.
SELECT file, sum(rows)::bigint AS rows
FROM (
  SELECT key AS file, value::bigint AS rows
  FROM catalog_meta.loads
  CROSS JOIN LATERAL jsonb_each_text(replayed_rows)
  WHERE id = {load_id}
  UNION ALL
  SELECT file, coalesce(kind.after, 0) - coalesce(kind.before, 0)
  FROM {schema}.loaded_products AS loaded
  LEFT JOIN (
    SELECT product.id, product.load_id, style_rows, photo_rows, sku_rows, feature_rows, related_rows
    FROM {schema}.product_documents AS product
    JOIN {schema}.styles_documents AS styles USING (id)
    UNION ALL
    SELECT id, load_id, style_rows, photo_rows, sku_rows, feature_rows, related_rows FROM {schema}.hidden_documents
  ) AS now USING (id)
  CROSS JOIN LATERAL (
    VALUES
      ('product.csv', num_nonnulls(now.load_id), num_nonnulls(coalesce(loaded.feature_rows::text, loaded.head))),
      ('styles.csv', now.style_rows, loaded.style_rows),
      ('photos.csv', now.photo_rows, loaded.photo_rows),
      ('skus.csv', now.sku_rows, loaded.sku_rows),
      ('features.csv', now.feature_rows, loaded.feature_rows),
      ('related.csv', now.related_rows, loaded.related_rows)
  ) AS kind (file, after, before)
) AS counted
GROUP BY file
