-- How many rows of each file writes have added to what a load made of them; fewer: negative. They are counted in the replies, as
-- documents/rebuild.sql keeps the counts of the load.
SELECT file, coalesce(sum(counted.rows), 0)::bigint AS rows
FROM {schema}.loaded_products AS loaded
LEFT JOIN {schema}.product_documents AS product USING (id)
LEFT JOIN {schema}.styles_documents AS styles USING (id)
CROSS JOIN LATERAL (
  VALUES
    ('product.csv', num_nonnulls(product.load_id), num_nonnulls(loaded.head)),
    ('styles.csv', styles.style_rows, loaded.style_rows),
    ('photos.csv', styles.photo_rows, loaded.photo_rows),
    ('skus.csv', styles.sku_rows, loaded.sku_rows),
    ('features.csv', product.feature_rows, loaded.feature_rows),
    ('related.csv', product.related_rows, loaded.related_rows)
) AS kind (file, after, before)
CROSS JOIN LATERAL (SELECT coalesce(kind.after, 0) - coalesce(kind.before, 0) AS rows) AS counted
GROUP BY file
