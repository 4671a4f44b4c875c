-- As lock_products.sql, and also waits for writes that name product $1 as related (lock_related.sql).
SELECT FROM {schema}.product_documents WHERE id = $1 FOR UPDATE
