-- After rebuild.sql of the touched products $1 in {schema}: readers see that the products are written, as of commit $2.
INSERT INTO {schema}.product_state (id, product_seq, styles_seq, built_seq)
SELECT id, $2::bigint, $2, $2 FROM unnest($1::int[]) AS id
ON CONFLICT (id) DO UPDATE SET product_seq = $2, styles_seq = $2, built_seq = $2
