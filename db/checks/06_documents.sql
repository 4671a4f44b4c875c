-- title: every product has its two documents, and every document has its product
-- cause: products or documents were deleted
-- only of what is served: a load makes one document of each kind for each product, so 03 finds what is missing
SELECT count(*)
FROM {schema}.products
FULL JOIN {schema}.product_documents AS product USING (id)
FULL JOIN {schema}.styles_documents AS styles USING (id)
WHERE products.name IS NULL OR product.load_id IS NULL OR styles.load_id IS NULL
