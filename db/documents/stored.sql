-- Hashes, times and cards that {schema} has of the products whose id is {wanted}, to be compared with what is made. The condition is
-- said three times, because the planner derives no range from an equality. The digest of a stale styles reply is not that of what readers
-- see, so it equals none. A hidden product is in no reply, but keeps its times.

SELECT
  product.id,
  product.created_at,
  product.updated_at,
  product.content,
  CASE WHEN state.styles_seq > state.built_seq THEN NULL ELSE styles.digest END AS digest,
  card.head AS card_head,
  card.offer,
  card.fields AS card_fields,
  false AS is_hidden
FROM {schema}.product_documents AS product
LEFT JOIN {schema}.styles_documents AS styles ON styles.id = product.id AND styles.id {wanted}
LEFT JOIN {schema}.cards AS card ON card.id = product.id AND card.id {wanted}
LEFT JOIN {schema}.product_state AS state ON state.id = product.id
WHERE product.id {wanted}
UNION ALL
SELECT id, created_at, updated_at, content, NULL, NULL, NULL, NULL, true
FROM {schema}.hidden_documents
WHERE id {wanted}
