-- Fills the documents and cards of the products $1 to $2 for campus $3 and load $4, which began at $5, and lists how they differ
-- from what is served. One statement, so that their rows are read once. The tables have no keys yet.

WITH load AS NOT MATERIALIZED (SELECT $4::int AS id, $3::text AS campus, $5::timestamptz AS now),
made AS MATERIALIZED (SELECT made.* FROM load CROSS JOIN LATERAL ({styles}) AS made),
product AS (SELECT product.*, load.now FROM load CROSS JOIN LATERAL ({product}) AS product),
before AS ({before}),
timed AS MATERIALIZED ({timed}),
card AS MATERIALIZED ({card}),
after AS (
  SELECT timed.id, timed.content, timed.digest, card.head AS card_head, card.offer, card.fields AS card_fields, false AS is_hidden
  FROM timed
  JOIN card USING (id)
),
product_replies AS (
  INSERT INTO {schema}.product_documents
    (id, load_id, created_at, updated_at, content, head, features, related, fields, feature_rows, related_rows)
  SELECT id, load_id, created_at, updated_at, content, head, features, related, fields, feature_rows, related_rows FROM timed
),
styles_replies AS (
  INSERT INTO {schema}.styles_documents (id, load_id, digest, body, style_rows, photo_rows, sku_rows)
  SELECT id, load_id, digest, body, style_rows, photo_rows, sku_rows FROM made
),
cards AS (
  INSERT INTO {schema}.cards (id, load_id, price, head, offer, fields) SELECT id, load_id, price, head, offer, fields FROM card
)
INSERT INTO {schema}.changes (id, kind, has_styles, has_card)
SELECT * FROM ({changes}) AS changes WHERE {is_compared}
