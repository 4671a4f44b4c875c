-- title: a product is hidden where catalog_meta.hidden_products says so, and nowhere else
-- cause: rows of catalog_meta.hidden_products or hidden_documents were changed, or an earlier release loaded the catalog
-- only of what is served: a load hides products in its swap
SELECT count(*)
FROM {schema}.products
LEFT JOIN {schema}.hidden_documents AS hidden USING (id)
LEFT JOIN catalog_meta.hidden_products AS wanted USING (id)
WHERE (hidden.id IS NOT NULL) <> coalesce(wanted.is_hidden, false)
