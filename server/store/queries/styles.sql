SELECT body
FROM catalog.styles_documents
WHERE id = $1
