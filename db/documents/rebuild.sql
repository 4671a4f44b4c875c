-- Makes the documents and cards of the products $1 (int[]) equal to their rows again, for campus $2, load $3 and the time $4 of the
-- change. A product without a row loses them. Returns a row for each product that differs: its id, its kind of change (changes.sql),
-- and whether it has other styles or another card. The caller has locked the products and logs the change (catalog_log.append).

WITH load AS NOT MATERIALIZED (
  SELECT $3::int AS id, $2::text AS campus, date_trunc('milliseconds', $4::timestamptz) AS now
),
made AS MATERIALIZED (SELECT made.* FROM load CROSS JOIN LATERAL ({styles}) AS made),
product AS (SELECT product.*, load.now FROM load CROSS JOIN LATERAL ({product}) AS product),
before AS MATERIALIZED ({stored}),
timed AS MATERIALIZED ({timed}),
card AS MATERIALIZED ({card}),
after AS (
  SELECT timed.id, timed.content, timed.digest, card.head AS card_head, card.offer FROM timed JOIN card USING (id)
),
changes AS MATERIALIZED ({changes}),
products_kept AS (
  INSERT INTO {schema}.loaded_products
    (id, head, features, body, feature_rows, related_rows, style_rows, photo_rows, sku_rows)
  SELECT
    changes.id, product.head, product.features, styles.body,
    product.feature_rows, product.related_rows, styles.style_rows, styles.photo_rows, styles.sku_rows
  FROM changes
  LEFT JOIN {schema}.product_documents AS product ON product.id = changes.id
  LEFT JOIN {schema}.styles_documents AS styles ON styles.id = changes.id
  WHERE kind IN ('created', 'updated', 'deleted')
  ORDER BY changes.id
  ON CONFLICT (id) DO NOTHING
),
cards_kept AS (
  INSERT INTO {schema}.loaded_cards (id, offer)
  SELECT changes.id, card.offer
  FROM changes
  LEFT JOIN {schema}.cards AS card ON card.id = changes.id
  WHERE has_card OR kind = 'deleted'
  ORDER BY changes.id
  ON CONFLICT (id) DO NOTHING
),
product_replies AS (
  INSERT INTO {schema}.product_documents
    (id, load_id, created_at, updated_at, content, head, features, related, feature_rows, related_rows)
  SELECT id, load_id, created_at, updated_at, content, head, features, related, feature_rows, related_rows
  FROM timed
  JOIN changes USING (id)
  WHERE kind IN ('created', 'updated')
  ORDER BY id
  ON CONFLICT (id) DO UPDATE
  SET (load_id, created_at, updated_at, content, head, features, related, feature_rows, related_rows) = (
    excluded.load_id, excluded.created_at, excluded.updated_at, excluded.content,
    excluded.head, excluded.features, excluded.related, excluded.feature_rows, excluded.related_rows
  )
),
styles_replies AS (
  INSERT INTO {schema}.styles_documents (id, load_id, digest, body, style_rows, photo_rows, sku_rows)
  SELECT id, load_id, made.digest, body, style_rows, photo_rows, sku_rows
  FROM made
  JOIN changes USING (id)
  WHERE has_styles
  ON CONFLICT (id) DO UPDATE
  SET (load_id, digest, body, style_rows, photo_rows, sku_rows) = (
    excluded.load_id, excluded.digest, excluded.body, excluded.style_rows, excluded.photo_rows, excluded.sku_rows
  )
),
cards AS (
  INSERT INTO {schema}.cards (id, load_id, price, head, offer)
  SELECT id, load_id, price, head, offer
  FROM card
  JOIN changes USING (id)
  WHERE has_card
  ON CONFLICT (id) DO UPDATE
  SET (load_id, price, head, offer) = (excluded.load_id, excluded.price, excluded.head, excluded.offer)
),
products_gone AS (
  DELETE FROM {schema}.product_documents USING changes WHERE product_documents.id = changes.id AND kind = 'deleted'
),
styles_gone AS (
  DELETE FROM {schema}.styles_documents USING changes WHERE styles_documents.id = changes.id AND kind = 'deleted'
),
cards_gone AS (
  DELETE FROM {schema}.cards USING changes WHERE cards.id = changes.id AND kind = 'deleted'
)
SELECT id, kind, has_styles, has_card FROM changes ORDER BY id
