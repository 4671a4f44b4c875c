-- title: every product has its two documents, and no document is without product
-- cause: products or documents were deleted
-- only of what is served: a load makes its documents of its products, one by key, so that the counts of 03 tell
SELECT count(*)
FROM {schema}.products
FULL JOIN {schema}.product_documents AS product USING (id)
FULL JOIN {schema}.styles_documents AS styles USING (id)
WHERE products.name IS NULL OR product.load_id IS NULL OR styles.load_id IS NULL
