-- Makes cards from a relation `made` that holds what styles.sql returns: WITH made AS (styles.sql) card.sql. `load` is as in product.sql.
-- This is the only definition of this JSON. Key order is part of the contract, and there are no spaces.
-- On PostgreSQL 17 and later the loader replaces to_json() by JSON_SCALAR(), which is faster (etl/steps/documents.py): give it scalars only.
-- The price of a style is its sale_price, also where that is 0 or above original_price, or original_price where sale_price is null.
-- A product without styles has its default_price.

SELECT
  made.id,
  made.load_id,
  offer.price,
  '{"id":' || made.id
    || ',"name":' || to_json(made.name)
    || ',"slogan":' || to_json(made.slogan)
    || ',"category":' || to_json(made.category)
    || ',"default_price":"' || round(made.default_price, greatest(scale(made.default_price), 2))
    || '"' AS head,
  '{"price":"' || round(offer.price, greatest(scale(offer.price), 2))
    || '","max_price":"' || round(offer.max_price, greatest(scale(offer.max_price), 2))
    || '","original_price":"' || round(offer.original_price, greatest(scale(offer.original_price), 2))
    || '","on_sale":' || CASE WHEN made.on_sale THEN 'true' ELSE 'false' END
    || ',"in_stock":' || CASE WHEN made.sizes_in_stock IS NULL THEN 'false' ELSE 'true' END
    || ',"sizes":[' || coalesce(stock.sizes, '')
    || '],"styles":' || made.style_rows
    || ',"thumbnail_url":'
    || coalesce(to_json(made.thumbnail_urls[coalesce(array_position(made.defaults, true), 1)])::text, 'null')
    || '}' AS offer,
  CASE WHEN declared.names IS NOT NULL THEN (
    SELECT '{' || coalesce(string_agg('"' || key || '":' || value, ',' ORDER BY place), '') || '}'
    FROM json_each(made.fields) WITH ORDINALITY AS own (key, value, place)
    WHERE key = ANY (declared.names)
  ) END AS fields
FROM made
CROSS JOIN (
  -- The fields of products that the load declares for cards.
  SELECT array_agg(key) AS names
  FROM catalog_meta.declarations
  CROSS JOIN json_each(content -> 'products') AS field
  WHERE load_id = (SELECT id FROM load) AND (value ->> 'card')::boolean
) AS declared
CROSS JOIN LATERAL (
  SELECT
    coalesce(made.lowest_price, made.default_price) AS price,
    coalesce(made.highest_price, made.default_price) AS max_price,
    coalesce(made.original_prices[array_position(made.prices, made.lowest_price)], made.default_price) AS original_price
) AS offer
-- Many products have the same list of sizes, so each list is sorted once, by numbers: comparing sizes is slow.
LEFT JOIN (
  WITH list AS (
    SELECT sizes_in_stock, row_number() OVER () AS number FROM (SELECT DISTINCT sizes_in_stock FROM made) AS found
  ),
  listed AS (
    SELECT DISTINCT list.number, size FROM list CROSS JOIN unnest(string_to_array(sizes_in_stock, chr(31))) AS size
  ),
  ranked AS (
    SELECT
      size,
      row_number() OVER (
        ORDER BY
          array_position(ARRAY['XS', 'S', 'M', 'L', 'XL', 'XXL'], text),
          -- At most the digits of a price: a longer text could be too long for a number.
          CASE WHEN text ~ '^[0-9]{1,20}([.][0-9]{1,18})?$' THEN text::numeric END,
          text COLLATE "C"
      ) AS rank
    FROM (SELECT size, size::json #>> '{}' AS text FROM (SELECT DISTINCT size FROM listed) AS used) AS decoded
  )
  SELECT list.sizes_in_stock, sorted.sizes
  FROM list
  JOIN (
    SELECT listed.number, string_agg(size, ',' ORDER BY ranked.rank) AS sizes
    FROM listed
    JOIN ranked USING (size)
    GROUP BY listed.number
  ) AS sorted USING (number)
) AS stock ON stock.sizes_in_stock = made.sizes_in_stock
