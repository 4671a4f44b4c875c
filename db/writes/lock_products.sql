-- Keeps other writes away from the products $1. In the order of ids, so that two transactions cannot wait for each other. An own statement:
-- one that has waited for a lock reads other tables as they were before.
SELECT FROM {schema}.products WHERE id = ANY ($1::int[]) ORDER BY id FOR NO KEY UPDATE
