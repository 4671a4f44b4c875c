-- Products $1 as they are served. The replies hold all of their content.
SELECT
  product.id,
  product.head || ',"features":' || product.features || '}' AS product,
  product.related,
  styles.body AS styles
FROM {schema}.product_documents AS product
JOIN {schema}.styles_documents AS styles USING (id)
WHERE product.id = ANY ($1::int[])
