-- As lock_products.sql, and also waits for writes that name one of the products $1 as related (lock_related.sql).
SELECT FROM {schema}.products WHERE id = ANY ($1::int[]) ORDER BY id FOR UPDATE
