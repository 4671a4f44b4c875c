-- title: every product has its two documents, and no document is without product
-- cause: products or documents were deleted
SELECT count(*)
FROM {schema}.products
FULL JOIN {schema}.product_documents AS product USING (id)
FULL JOIN {schema}.styles_documents AS styles USING (id)
WHERE products.name IS NULL OR product.load_id IS NULL OR styles.load_id IS NULL
