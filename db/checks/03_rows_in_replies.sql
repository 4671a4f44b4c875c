-- title: every row is in the reply of its product
-- cause: a row's product or style is missing, a document is missing, or rows were changed without their documents
SELECT sum(abs(coalesce(ledger.rows, 0) + coalesce(added.rows, 0) - coalesce(replied.rows, 0)))
FROM (
  SELECT file, rows
  FROM (
    SELECT count(*), sum(feature_rows), sum(related_rows)
    FROM (
      SELECT feature_rows, related_rows FROM {schema}.product_documents
      UNION ALL
      SELECT feature_rows, related_rows FROM {schema}.hidden_documents
    ) AS replies
  ) AS product (products, features, related)
  CROSS JOIN (
    SELECT count(*), sum(style_rows), sum(photo_rows), sum(sku_rows)
    FROM (
      SELECT style_rows, photo_rows, sku_rows FROM {schema}.styles_documents
      UNION ALL
      SELECT style_rows, photo_rows, sku_rows FROM {schema}.hidden_documents
    ) AS replies
  ) AS styles (products_with_styles, styles, photos, skus)
  CROSS JOIN (
    SELECT (SELECT count(*) FROM {schema}.cards) + (SELECT count(*) FROM {schema}.hidden_documents)
  ) AS card (products_with_cards)
  CROSS JOIN LATERAL (
    VALUES
      ('product.csv', products), ('product.csv', products_with_styles), ('product.csv', products_with_cards),
      ('styles.csv', styles), ('photos.csv', photos), ('skus.csv', skus), ('features.csv', features), ('related.csv', related)
  ) AS summed (file, rows)
) AS replied
LEFT JOIN (
  SELECT file, sum(rows_loaded + rows_repaired) AS rows FROM catalog_meta.chunks WHERE load_id = {load_id} GROUP BY file
) AS ledger USING (file)
LEFT JOIN ({added}) AS added USING (file)
