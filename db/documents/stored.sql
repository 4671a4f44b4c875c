-- What {schema} has of the products whose id is {wanted}: hashes, times and cards, to be compared with what is made. The condition is
-- said three times, because the planner derives no range from an equality.

SELECT
  product.id,
  product.created_at,
  product.updated_at,
  product.content,
  styles.digest,
  card.head AS card_head,
  card.offer
FROM {schema}.product_documents AS product
LEFT JOIN {schema}.styles_documents AS styles ON styles.id = product.id AND styles.id {wanted}
LEFT JOIN {schema}.cards AS card ON card.id = product.id AND card.id {wanted}
WHERE product.id {wanted}
