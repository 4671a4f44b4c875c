-- Fills the styles replies and the cards of the products $1 to $2 for load $3: one statement, so that their rows are read once.

WITH made AS ({styles}),
replies AS (
  INSERT INTO {schema}.styles_documents (id, load_id, body, style_rows, photo_rows, sku_rows)
  SELECT id, load_id, body, style_rows, photo_rows, sku_rows FROM made
)
INSERT INTO {schema}.cards (id, load_id, price, head, offer)
{card}
