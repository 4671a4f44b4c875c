-- Makes the documents and cards of the products $1 (int[]) equal to their rows again, for campus $2, load $3 and the time $4 of the
-- change. A product without a row loses them, and that of a hidden one moves to hidden_documents. Returns a row for each product that differs: its
-- id, its kind of change (changes.sql), and whether it has other styles or another card. The caller has locked the products and logs the
-- change (catalog_log.append).

WITH load AS NOT MATERIALIZED (
  SELECT $3::int AS id, $2::text AS campus, date_trunc('milliseconds', $4::timestamptz) AS now
),
hidden AS MATERIALIZED (SELECT id FROM catalog_meta.hidden_products WHERE is_hidden AND id = ANY ($1::int[])),
made AS MATERIALIZED (SELECT made.* FROM load CROSS JOIN LATERAL ({styles}) AS made),
product AS (SELECT product.*, load.now FROM load CROSS JOIN LATERAL ({product}) AS product),
before AS MATERIALIZED ({stored}),
timed AS MATERIALIZED ({timed}),
card AS MATERIALIZED ({card}),
after AS (
  SELECT
    timed.id, timed.content, timed.digest, card.head AS card_head, card.offer, card.fields AS card_fields,
    timed.id IN (SELECT id FROM hidden) AS is_hidden
  FROM timed
  JOIN card USING (id)
),
compared AS MATERIALIZED ({changes}),
-- Others are hidden of those that it names.
relisted AS (
  SELECT stored.id
  FROM {schema}.product_documents AS stored
  JOIN timed USING (id)
  WHERE stored.related <> timed.related
),
changes AS MATERIALIZED (
  SELECT
    id,
    CASE WHEN relisted.id IS NULL OR kind = 'deleted' THEN kind ELSE 'updated' END AS kind,
    coalesce(has_styles, false) AS has_styles,
    coalesce(has_card, false) AS has_card
  FROM compared
  FULL JOIN relisted USING (id)
),
-- Changes that no reader sees: of products that are and stay hidden.
unseen AS MATERIALIZED (
  SELECT
    id,
    CASE WHEN before.content IS NULL THEN 'created' WHEN after.content IS NULL THEN 'deleted' ELSE 'updated' END AS kind
  FROM (SELECT id, content FROM before WHERE is_hidden) AS before
  FULL JOIN (SELECT id, content FROM after WHERE is_hidden) AS after USING (id)
  WHERE before.content IS DISTINCT FROM after.content AND id NOT IN (SELECT id FROM changes)
),
products_kept AS (
  INSERT INTO {schema}.loaded_products
    (id, head, features, fields, body, feature_rows, related_rows, style_rows, photo_rows, sku_rows)
  SELECT
    changed.id, product.head, product.features, product.fields, styles.body,
    coalesce(product.feature_rows, before.feature_rows), coalesce(product.related_rows, before.related_rows),
    coalesce(styles.style_rows, before.style_rows), coalesce(styles.photo_rows, before.photo_rows), coalesce(styles.sku_rows, before.sku_rows)
  FROM (SELECT id FROM changes WHERE kind IN ('created', 'updated', 'deleted') UNION ALL SELECT id FROM unseen) AS changed
  LEFT JOIN {schema}.product_documents AS product ON product.id = changed.id
  LEFT JOIN {schema}.styles_documents AS styles ON styles.id = changed.id
  LEFT JOIN {schema}.hidden_documents AS before ON before.id = changed.id
  ORDER BY changed.id
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
    (id, load_id, created_at, updated_at, content, head, features, related, fields, feature_rows, related_rows)
  SELECT id, load_id, created_at, updated_at, content, head, features, related, fields, feature_rows, related_rows
  FROM timed
  JOIN changes USING (id)
  WHERE kind IN ('created', 'updated')
  ORDER BY id
  ON CONFLICT (id) DO UPDATE
  SET (load_id, created_at, updated_at, content, head, features, related, fields, feature_rows, related_rows) = (
    excluded.load_id, excluded.created_at, excluded.updated_at, excluded.content,
    excluded.head, excluded.features, excluded.related, excluded.fields, excluded.feature_rows, excluded.related_rows
  )
),
styles_replies AS (
  INSERT INTO {schema}.styles_documents (id, load_id, digest, body, style_rows, photo_rows, sku_rows)
  SELECT id, load_id, made.digest, body, style_rows, photo_rows, sku_rows
  FROM made
  JOIN changes USING (id)
  WHERE has_styles AND kind IS DISTINCT FROM 'deleted'
  ON CONFLICT (id) DO UPDATE
  SET (load_id, digest, body, style_rows, photo_rows, sku_rows) = (
    excluded.load_id, excluded.digest, excluded.body, excluded.style_rows, excluded.photo_rows, excluded.sku_rows
  )
),
cards AS (
  INSERT INTO {schema}.cards (id, load_id, price, head, offer, fields)
  SELECT id, load_id, price, head, offer, fields
  FROM card
  JOIN changes USING (id)
  WHERE has_card
  ON CONFLICT (id) DO UPDATE
  SET (load_id, price, head, offer, fields) = (
    excluded.load_id, excluded.price, excluded.head, excluded.offer, excluded.fields
  )
),
hidden_kept AS (
  INSERT INTO {schema}.hidden_documents (
    id, load_id, created_at, updated_at, content, head, features, related, fields, digest, body,
    feature_rows, related_rows, style_rows, photo_rows, sku_rows
  )
  SELECT
    id, timed.load_id, created_at, updated_at, timed.content, head, features, related, timed.fields, made.digest, body,
    feature_rows, related_rows, style_rows, photo_rows, sku_rows
  FROM timed
  JOIN made USING (id)
  JOIN hidden USING (id)
  ORDER BY id
  ON CONFLICT (id) DO UPDATE SET (
    load_id, created_at, updated_at, content, head, features, related, fields, digest, body,
    feature_rows, related_rows, style_rows, photo_rows, sku_rows
  ) = (
    excluded.load_id, excluded.created_at, excluded.updated_at, excluded.content, excluded.head, excluded.features, excluded.related,
    excluded.fields, excluded.digest, excluded.body,
    excluded.feature_rows, excluded.related_rows, excluded.style_rows, excluded.photo_rows, excluded.sku_rows
  )
),
hidden_gone AS (
  DELETE FROM {schema}.hidden_documents USING before
  WHERE hidden_documents.id = before.id AND before.is_hidden AND before.id NOT IN (SELECT id FROM after WHERE is_hidden)
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
SELECT id, kind, has_styles, has_card FROM changes
UNION ALL
SELECT id, kind, true, false FROM unseen
ORDER BY id
