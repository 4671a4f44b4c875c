-- Which of the products $1 exist. They stay until the end of the transaction.
SELECT id FROM {schema}.products WHERE id = ANY ($1::int[]) ORDER BY id FOR KEY SHARE
