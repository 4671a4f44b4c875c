-- title: every row's product is there
-- hint: a product was deleted without its rows; delete these too, or run `load` on the files again
SELECT
  (SELECT count(*) FROM {schema}.styles WHERE NOT EXISTS
    (SELECT FROM {schema}.products WHERE products.id = styles.product_id))
  + (SELECT count(*) FROM {schema}.features WHERE NOT EXISTS
    (SELECT FROM {schema}.products WHERE products.id = features.product_id))
  + (SELECT count(*) FROM {schema}.related WHERE NOT EXISTS
    (SELECT FROM {schema}.products WHERE products.id = related.product_id))
  + (SELECT count(*) FROM {schema}.related WHERE NOT EXISTS
    (SELECT FROM {schema}.products WHERE products.id = related.related_product_id))
