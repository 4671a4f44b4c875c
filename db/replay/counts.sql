-- The rows of the touched products by file.
SELECT 'product.csv' AS file, count(*) AS rows FROM {schema}.products JOIN touched USING (id)
UNION ALL
SELECT 'styles.csv', count(*) FROM {schema}.styles JOIN touched ON touched.id = product_id
UNION ALL
SELECT 'photos.csv', count(*) FROM touched JOIN {schema}.styles AS style ON style.product_id = touched.id JOIN {schema}.photos ON style_id = style.id
UNION ALL
SELECT 'skus.csv', count(*) FROM touched JOIN {schema}.styles AS style ON style.product_id = touched.id JOIN {schema}.skus ON style_id = style.id
UNION ALL
SELECT 'features.csv', count(*) FROM {schema}.features JOIN touched ON touched.id = product_id
UNION ALL
SELECT 'related.csv', count(*) FROM {schema}.related JOIN touched ON touched.id = product_id
