-- The products of {schema} that are hidden or published where they should be the other, and those that name one of them as related.
WITH changed AS (
  SELECT id FROM {schema}.product_documents JOIN catalog_meta.hidden_products USING (id) WHERE is_hidden
  UNION ALL
  SELECT id FROM {schema}.hidden_documents WHERE id NOT IN (SELECT id FROM catalog_meta.hidden_products WHERE is_hidden)
)
SELECT id FROM changed
UNION
SELECT product_id FROM {schema}.related WHERE related_product_id IN (SELECT id FROM changed)
ORDER BY id
