SELECT 'true'
FROM catalog.hidden_documents
WHERE id = $1
