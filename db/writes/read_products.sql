-- Products $1 as they are served, or hidden. The replies hold all of their content but related products that are hidden.
SELECT
  id,
  head || ',"features":' || features || coalesce(',"fields":' || fields, '') || '}' AS product,
  (
    SELECT '[' || coalesce(string_agg(related_product_id::text, ',' ORDER BY position), '') || ']'
    FROM {schema}.related
    WHERE product_id = stored.id
  ) AS related,
  body AS styles
FROM (
  SELECT product.id, head, features, fields, body
  FROM {schema}.product_documents AS product
  JOIN {schema}.styles_documents AS styles USING (id)
  WHERE product.id = ANY ($1::int[])
  UNION ALL
  SELECT id, head, features, fields, body
  FROM {schema}.hidden_documents
  WHERE id = ANY ($1::int[])
) AS stored
