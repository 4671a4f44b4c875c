-- What {schema} has of the products `wanted`: hashes, times and cards, to be compared with what is made. The ranges are said three
-- times, because the planner derives no range from an equality.

SELECT
  product.id,
  product.created_at,
  product.updated_at,
  product.content,
  styles.digest,
  card.head AS card_head,
  card.offer
FROM wanted
JOIN {schema}.product_documents AS product ON product.id BETWEEN wanted.first_id AND wanted.last_id
LEFT JOIN {schema}.styles_documents AS styles
  ON styles.id = product.id AND styles.id BETWEEN wanted.first_id AND wanted.last_id
LEFT JOIN {schema}.cards AS card ON card.id = product.id AND card.id BETWEEN wanted.first_id AND wanted.last_id
