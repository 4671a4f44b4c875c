-- title: every product has its two documents and its card, and each of these has its product
-- cause: products, documents or cards were deleted
-- only of what is served: a load makes each of them for each product, so 03 finds what is missing
SELECT count(*)
FROM {schema}.products
FULL JOIN {schema}.product_documents AS product USING (id)
FULL JOIN {schema}.styles_documents AS styles USING (id)
FULL JOIN {schema}.cards AS card USING (id)
WHERE products.name IS NULL OR product.load_id IS NULL OR styles.load_id IS NULL OR card.load_id IS NULL
