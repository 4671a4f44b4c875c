-- title: every product has its two documents and its card, or is hidden, and each of these has its product
-- cause: products, documents or cards were deleted
-- only of what is served: a load makes each of them for each product, so 03 finds what is missing
SELECT count(*)
FROM {schema}.products
FULL JOIN {schema}.product_documents AS product USING (id)
FULL JOIN {schema}.styles_documents AS styles USING (id)
FULL JOIN {schema}.cards AS card USING (id)
FULL JOIN {schema}.hidden_documents AS hidden USING (id)
WHERE products.name IS NULL
  OR num_nonnulls(product.load_id, styles.load_id, card.load_id) <> CASE WHEN hidden.load_id IS NULL THEN 3 ELSE 0 END
