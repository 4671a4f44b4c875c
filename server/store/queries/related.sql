SELECT related
FROM catalog.product_documents
WHERE id = $1
