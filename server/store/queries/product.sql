SELECT head || ',"features":' || features || '}'
FROM catalog.product_documents
WHERE id = $1
