-- Those of the products $1 that no write has changed since the load, but to hide or publish products.
SELECT id
FROM unnest($1::int[]) AS wanted (id)
WHERE NOT EXISTS (
  SELECT
  FROM {schema}.product_state AS state
  WHERE state.id = wanted.id
    AND NOT EXISTS (
      SELECT FROM {schema}.shown_only AS shown WHERE shown.id = state.id AND shown.seq = greatest(product_seq, styles_seq)
    )
)
