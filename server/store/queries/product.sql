SELECT head || ',"features":' || features || coalesce(',"fields":' || fields, '') || '}'
FROM catalog.product_documents
WHERE id = $1
