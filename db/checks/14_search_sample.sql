-- title: a sample of products is in every set of the search in which it must be, and in no other
-- cause: rows were changed without the sets of the search
-- The sample is from one chunk, and "no other" means those sets of the chunk in which another product of the sample must be.
-- SQL cannot fold other texts than ASCII: products with such a text are sampled for their values only.
WITH numbered AS (
  SELECT id, (row_number() OVER (ORDER BY id) - 1)::int AS position FROM {cards}
), sampled AS (
  SELECT product.*, position / 65536 AS chunk, position % 65536 AS place
  FROM (
    SELECT id, position
    FROM numbered
    WHERE EXISTS (SELECT FROM {schema}.search_blobs)
      AND id NOT IN ({written})
      AND position / 65536 = (SELECT floor(random() * (max(position) / 65536 + 1))::int FROM numbered)
    ORDER BY random()
    LIMIT 30
  ) AS chosen
  JOIN {schema}.products AS product USING (id)
), feature AS (
  SELECT product_id, feature, value FROM {schema}.features JOIN sampled ON product_id = sampled.id WHERE value IS NOT NULL
), style AS (
  SELECT style.* FROM {schema}.styles AS style JOIN sampled ON product_id = sampled.id
), declared AS (
  SELECT of_table, field.name, own ->> 'type' AS type, own ->> 'search' AS search, (own ->> 'facet')::boolean AS facet
  FROM {schema}.search_blobs AS blob
  CROSS JOIN LATERAL json_each(convert_from(body, 'UTF8')::json) AS tables (of_table, fields)
  CROSS JOIN LATERAL json_each(fields) AS field (name, own)
  WHERE blob.name = 'fields'
), own AS (
  SELECT id, declared.name, type, search, facet, text
  FROM (
    SELECT id, 'products' AS of_table, fields FROM sampled
    UNION ALL SELECT product_id, 'styles', fields FROM style
    UNION ALL SELECT product_id, 'skus', sku.fields FROM style JOIN {schema}.skus AS sku ON style_id = style.id
  ) AS owner
  CROSS JOIN LATERAL json_each_text(fields) AS field (name, value)
  JOIN declared USING (of_table, name)
  CROSS JOIN LATERAL (
    SELECT value WHERE type <> 'list'
    UNION ALL SELECT json_array_elements_text(value::json) WHERE type = 'list'
  ) AS each (text)
), texts AS (
  SELECT id, 'n' AS class, name AS text FROM sampled
  UNION ALL SELECT id, 'm', category FROM sampled
  UNION ALL SELECT product_id, 'm', value FROM feature
  UNION ALL SELECT product_id, 'm', name FROM style
  UNION ALL SELECT id, 'a', slogan FROM sampled
  UNION ALL SELECT id, 'a', description FROM sampled
  UNION ALL
  SELECT id, CASE search WHEN 'name' THEN 'n' WHEN 'attribute' THEN 'm' ELSE 'a' END, text FROM own WHERE search IS NOT NULL
), token AS (
  SELECT DISTINCT id, wider.class, token[1] AS token
  FROM texts
  JOIN (VALUES ('n', 'n'), ('n', 'm'), ('n', 'a'), ('m', 'm'), ('m', 'a'), ('a', 'a')) AS wider (of, class) ON of = texts.class
  CROSS JOIN LATERAL regexp_replace(lower(text COLLATE "C"), '(?<=[0-9])[''`](?=[0-9])', ' ', 'g') AS plain -- 5'11"
  CROSS JOIN LATERAL regexp_matches(plain, '[a-z0-9]+(?:[''`./-][a-z0-9]+)*', 'g') AS token
  WHERE id NOT IN (SELECT id FROM texts WHERE octet_length(text) <> char_length(text))
), piece AS (
  SELECT id, class, piece FROM token CROSS JOIN LATERAL regexp_split_to_table(token, '[./-]') AS piece
), cut AS (
  SELECT id, class, left(translate(piece, '''`', ''), 64) AS word FROM piece
  UNION
  SELECT id, class, left(part, 64)
  FROM piece
  CROSS JOIN LATERAL regexp_split_to_table(piece, '[''`]') AS part
  WHERE char_length(part) > 1
), word AS (
  SELECT id, class, word FROM cut
  UNION
  SELECT id, class, part[1] FROM cut CROSS JOIN LATERAL regexp_matches(word, '[a-z]+|[0-9]+', 'g') AS part
  UNION
  SELECT id, class, whole
  FROM token
  CROSS JOIN LATERAL left(translate(token, '''`./-', ''), 64) AS whole
  WHERE token ~ '[./-]' AND whole ~ '[a-z]'
), expected AS (
  SELECT id, class || ':' || word AS key FROM word
  UNION SELECT id, 'x' || class || ':' || left(word, length) FROM word CROSS JOIN generate_series(1, 3) AS length
  UNION SELECT id, 'f:category=' || category FROM sampled WHERE char_length(category) <= 200
  UNION
  SELECT product_id, 'f:feature.' || replace(replace(feature, '%', '%25'), '=', '%3D') || '=' || value
  FROM feature
  WHERE char_length(feature) <= 200 AND char_length(value) <= 200
  UNION
  SELECT product_id, kind || size
  FROM style
  JOIN {schema}.skus ON style_id = style.id
  JOIN (VALUES ('f:size=', 0), ('f:stock.size=', 1)) AS kind (kind, least) ON greatest(quantity, 0) >= least
  WHERE char_length(size) <= 200
  UNION
  SELECT id, 'f:field.' || name || '=' || text
  FROM own
  WHERE facet AND type NOT IN ('number', 'date') AND char_length(text) <= 200
), stored AS (
  SELECT key, rows, bits || ''::bytea AS bits -- whole: each get_byte would read the stored parts again
  FROM {schema}.search_sets
  WHERE key IN (SELECT key FROM expected) AND chunk = (SELECT min(chunk) FROM sampled)
  OFFSET 0
), listed AS MATERIALIZED ( -- else the places of a set would be read for each product of the sample
  SELECT key, place
  FROM stored
  CROSS JOIN LATERAL (
    SELECT get_byte(bits, 2 * at) + 256 * get_byte(bits, 2 * at + 1) AS place
    FROM generate_series(0, rows - 1) AS at
    WHERE rows <= 4096
    UNION ALL
    SELECT place FROM sampled WHERE rows > 4096 AND get_bit(bits, place) = 1
  ) AS each
), found AS (
  SELECT id, key
  FROM listed
  JOIN sampled USING (place)
  WHERE key LIKE 'f:%' OR id IN (SELECT id FROM word)
)
SELECT count(*)
FROM expected
FULL JOIN found USING (id, key)
WHERE expected.id IS NULL OR found.id IS NULL
