-- Marks the styles replies of the products $1 as built. The same transaction locked the products (lock_products.sql) and made their
-- documents (documents/rebuild.sql), both after `seen` $2 was read: a later commit may not be in them. What rebuild.sql returns besides
-- restocked products is a change to log.
UPDATE {schema}.product_state SET built_seq = styles_seq WHERE id = ANY ($1::int[]) AND styles_seq <= $2::bigint
