-- `bench -- search` compares with this: each product as a row with its words, price and values, made from the rows of the six files.
DROP SCHEMA IF EXISTS bench_search CASCADE;
CREATE SCHEMA bench_search;

-- Folded as the loader does, as far as the generator's letters need it; only words of ASCII letters and digits.
CREATE FUNCTION bench_search.vector(text, "char") RETURNS tsvector IMMUTABLE PARALLEL SAFE RETURN setweight(to_tsvector('simple',
  regexp_replace(translate(regexp_replace(lower(normalize(replace($1, 'ß', 'ss'), NFKD) COLLATE pg_c_utf8), '[\u0300-\u036F]', '', 'g'),
    'øłđı', 'oldi'), '[^a-z0-9]+', ' ', 'g')), $2);

CREATE TABLE bench_search.products AS
SELECT id, category, coalesce(price, default_price) AS price, coalesce(on_sale, false) AS on_sale,
  coalesce(in_stock, false) AS in_stock, coalesce(sizes, '{}') AS sizes, coalesce(features, '{}') AS features,
  bench_search.vector(name, 'A') || bench_search.vector(concat_ws(' ', category, styles, feature_values), 'B')
    || bench_search.vector(slogan || ' ' || description, 'D') AS words
FROM catalog.products AS p
CROSS JOIN LATERAL (
  SELECT min(coalesce(sale_price, original_price)) AS price, bool_or(sale_price < original_price) AS on_sale,
    string_agg(name, ' ') AS styles
  FROM catalog.styles WHERE product_id = p.id
) AS style
CROSS JOIN LATERAL (
  SELECT array_agg(DISTINCT size) AS sizes, bool_or(quantity > 0) AS in_stock
  FROM catalog.styles JOIN catalog.skus ON style_id = styles.id WHERE product_id = p.id
) AS sku
CROSS JOIN LATERAL (
  SELECT array_agg(DISTINCT feature || '=' || value) AS features, string_agg(value, ' ') AS feature_values
  FROM catalog.features WHERE product_id = p.id AND value IS NOT NULL
) AS feature;
CREATE INDEX ON bench_search.products USING gin (words);
CREATE INDEX ON bench_search.products (category);
ANALYZE bench_search.products;

-- One or two words of a product, with its category. The order is by chance, and the same in every run.
CREATE TABLE bench_search.queries AS
SELECT row_number() OVER () AS id, words, category
FROM (
  SELECT DISTINCT string_agg(word, ' & ') AS words, category
  FROM (SELECT * FROM bench_search.products ORDER BY md5(id::text) LIMIT 6000) AS p, LATERAL (
    SELECT word FROM unnest(tsvector_to_array(ts_filter(words, '{a,b}'))) AS word ORDER BY md5(id || word) LIMIT 1 + id % 2
  ) AS picked
  GROUP BY id, category
  LIMIT 2000
) AS query;
