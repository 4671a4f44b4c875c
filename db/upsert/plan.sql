-- Compares the rows of a part with what is served: finds the rows that are refused, and a merge patch for each product that changes.
-- {products_fields} and the like have a null for each field that the file has; {styles_sale} and {prices_sale} say whether it has that column.

ANALYZE {upsert}.products, {upsert}.styles, {upsert}.photos, {upsert}.skus, {upsert}.related, {upsert}.features, {upsert}.prices, {upsert}.quantities;

CREATE UNLOGGED TABLE {upsert}.refused (file text, line int, reason text, detail text);

CREATE UNLOGGED TABLE {upsert}.planned_products AS
SELECT
  part.id,
  part.position AS line,
  found.id IS NULL AS is_new,
  CASE
    WHEN found.id IS NOT NULL THEN NULL
    WHEN part.id > {last_id} THEN 'bad_id'
    WHEN num_nulls(part.name, part.slogan, part.description, part.category, part.default_price) > 0 THEN 'missing_fields'
  END AS reason,
  {upsert}.differing(
    jsonb_strip_nulls(jsonb_build_object(
      'name', part.name,
      'slogan', part.slogan,
      'description', part.description,
      'category', part.category,
      'default_price', {upsert}.shown(part.default_price)
    )),
    jsonb_build_object(
      'name', found.name,
      'slogan', found.slogan,
      'description', found.description,
      'category', found.category,
      'default_price', {upsert}.shown(found.default_price)
    )
  ) || {upsert}.differing_fields('{products_fields}', part.fields, found.fields) AS patch
FROM {upsert}.products AS part
LEFT JOIN {schema}.products AS found USING (id);
ALTER TABLE {upsert}.planned_products ADD PRIMARY KEY (id);
ANALYZE {upsert}.planned_products;
INSERT INTO {upsert}.refused
SELECT
  'product.csv', line, reason,
  CASE reason
    WHEN 'bad_id' THEN 'id ' || id || ' is among those that the API gives: there is no such product, and a new one has one up to {last_id}'
    ELSE 'there is no product ' || id || ', and a new one needs all columns'
  END
FROM {upsert}.planned_products
WHERE reason IS NOT NULL;

-- The products that there will be: a few new ones beside those that are served.
CREATE UNLOGGED TABLE {upsert}.new_products AS
SELECT id FROM {upsert}.planned_products WHERE is_new AND reason IS NULL;
ALTER TABLE {upsert}.new_products ADD PRIMARY KEY (id);
ANALYZE {upsert}.new_products;

-- A price in prices.csv counts before one in styles.csv.
CREATE UNLOGGED TABLE {upsert}.planned_styles AS
SELECT
  id,
  line,
  price_line,
  is_new,
  product_id,
  reason,
  {upsert}.differing(
    jsonb_strip_nulls(jsonb_build_object(
      'name', name,
      'default?', is_default,
      'original_price', {upsert}.shown(original_price)
    )) || CASE WHEN has_sale OR is_new THEN jsonb_build_object('sale_price', {upsert}.shown(sale_price)) ELSE '{}' END,
    jsonb_build_object(
      'name', found_name,
      'default?', found_default,
      'original_price', {upsert}.shown(found_price),
      'sale_price', {upsert}.shown(found_sale)
    )
  ) || {upsert}.differing_fields('{styles_fields}', fields, found_fields) AS patch
FROM (
  SELECT
    coalesce(part.id, price.id) AS id,
    part.position AS line,
    price.position AS price_line,
    found.id IS NULL AS is_new,
    coalesce(found.product_id, part.product_id) AS product_id,
    CASE
      WHEN part.id IS NULL THEN NULL
      WHEN found.id IS NULL AND part.id > {last_id} THEN 'bad_id'
      WHEN found.id IS NULL AND num_nulls(part.product_id, part.name, part.original_price, part.is_default) > 0 THEN 'missing_fields'
      WHEN part.product_id <> found.product_id THEN 'duplicate'
      WHEN found.id IS NULL AND product.id IS NULL AND new_product.id IS NULL THEN 'orphan'
    END AS reason,
    part.product_id AS wanted_product,
    part.name,
    part.is_default,
    coalesce(price.original_price, part.original_price) AS original_price,
    CASE WHEN price.id IS NOT NULL AND {prices_sale} THEN price.sale_price ELSE part.sale_price END AS sale_price,
    (price.id IS NOT NULL AND {prices_sale}) OR (part.id IS NOT NULL AND {styles_sale}) AS has_sale,
    part.fields,
    found.name AS found_name,
    found.is_default AS found_default,
    found.original_price AS found_price,
    found.sale_price AS found_sale,
    found.fields AS found_fields
  FROM {upsert}.styles AS part
  FULL JOIN {upsert}.prices AS price USING (id)
  LEFT JOIN {schema}.styles AS found ON found.id = coalesce(part.id, price.id)
  LEFT JOIN {schema}.products AS product ON product.id = part.product_id
  LEFT JOIN {upsert}.new_products AS new_product ON new_product.id = part.product_id
) AS style;
ALTER TABLE {upsert}.planned_styles ADD PRIMARY KEY (id);
ANALYZE {upsert}.planned_styles;
INSERT INTO {upsert}.refused
SELECT
  'styles.csv', style.line, reason,
  CASE reason
    WHEN 'bad_id' THEN 'id ' || id || ' is among those that the API gives: there is no such style, and a new one has one up to {last_id}'
    WHEN 'missing_fields' THEN 'there is no style ' || id || ', and a new one needs all columns'
    WHEN 'duplicate' THEN 'style ' || id || ' is of product ' || style.product_id || ', and a style does not move to another'
    ELSE 'product_id ' || style.product_id || ' is not loaded'
  END
FROM {upsert}.planned_styles AS style
WHERE reason IS NOT NULL;
INSERT INTO {upsert}.refused
SELECT 'prices.csv', price_line, 'orphan', 'there is no style ' || id
FROM {upsert}.planned_styles
WHERE price_line IS NOT NULL AND is_new AND (line IS NULL OR reason IS NOT NULL);
-- A refused row of a style that is there leaves its row of prices.
UPDATE {upsert}.planned_styles AS style
SET patch = {upsert}.differing(
  jsonb_strip_nulls(jsonb_build_object('original_price', {upsert}.shown(price.original_price)))
    || CASE WHEN {prices_sale} THEN jsonb_build_object('sale_price', {upsert}.shown(price.sale_price)) ELSE '{}' END,
  jsonb_build_object(
    'original_price', {upsert}.shown(found.original_price), 'sale_price', {upsert}.shown(found.sale_price)
  )
)
FROM {upsert}.prices AS price
JOIN {schema}.styles AS found USING (id)
WHERE reason IS NOT NULL AND price.id = style.id;

CREATE UNLOGGED TABLE {upsert}.new_styles AS
SELECT id, product_id FROM {upsert}.planned_styles WHERE is_new AND line IS NOT NULL AND reason IS NULL;
ALTER TABLE {upsert}.new_styles ADD PRIMARY KEY (id);
ANALYZE {upsert}.new_styles;

-- A quantity in quantities.csv counts before one in skus.csv. The quantity of a sku that is there is no content: /stock sets it.
CREATE UNLOGGED TABLE {upsert}.planned_skus AS
SELECT
  id,
  line,
  quantity_line,
  is_new,
  product_id,
  style_id,
  found_style,
  reason,
  CASE WHEN quantity_line IS NOT NULL THEN counted WHEN reason IS NULL THEN quantity END AS quantity,
  found_quantity,
  CASE
    WHEN line IS NULL OR reason IS NOT NULL THEN '{}'
    WHEN is_new THEN jsonb_build_object('size', size, 'quantity', coalesce(counted, quantity))
      || {upsert}.differing_fields('{skus_fields}', fields, NULL)
    WHEN style_id <> found_style THEN jsonb_build_object('size', coalesce(size, found_size)) || CASE
      WHEN coalesce(fields, found_fields) IS NULL THEN '{}'
      ELSE jsonb_build_object(
        'fields', coalesce(found_fields, '{}')::jsonb || CASE WHEN fields IS NULL THEN '{}' ELSE '{skus_fields}'::jsonb || fields::jsonb END
      )
    END
    ELSE CASE WHEN size <> found_size THEN jsonb_build_object('size', size) ELSE '{}' END
      || {upsert}.differing_fields('{skus_fields}', fields, found_fields)
  END AS patch
FROM (
  SELECT
    coalesce(part.id, counted.id) AS id,
    part.position AS line,
    counted.position AS quantity_line,
    found.id IS NULL AS is_new,
    coalesce(style.product_id, new_style.product_id, found_style.product_id) AS product_id,
    coalesce(part.style_id, found.style_id) AS style_id,
    found.style_id AS found_style,
    CASE
      WHEN part.id IS NULL THEN NULL
      WHEN found.id IS NULL AND part.id > {last_id} THEN 'bad_id'
      WHEN found.id IS NULL AND num_nulls(part.style_id, part.size, part.quantity) > 0 THEN 'missing_fields'
      WHEN part.style_id IS NOT NULL AND style.id IS NULL AND new_style.id IS NULL THEN 'orphan'
      WHEN coalesce(style.product_id, new_style.product_id) <> found_style.product_id THEN 'duplicate'
    END AS reason,
    part.size,
    part.quantity,
    part.fields,
    counted.quantity AS counted,
    found.size AS found_size,
    found.quantity AS found_quantity,
    found.fields AS found_fields
  FROM {upsert}.skus AS part
  FULL JOIN {upsert}.quantities AS counted USING (id)
  LEFT JOIN {schema}.skus AS found ON found.id = coalesce(part.id, counted.id)
  LEFT JOIN {schema}.styles AS found_style ON found_style.id = found.style_id
  LEFT JOIN {schema}.styles AS style ON style.id = part.style_id
  LEFT JOIN {upsert}.new_styles AS new_style ON new_style.id = part.style_id
) AS sku;
INSERT INTO {upsert}.refused
SELECT
  'skus.csv', line, reason,
  CASE reason
    WHEN 'bad_id' THEN 'id ' || sku.id || ' is among those that the API gives: there is no such sku, and a new one has one up to {last_id}'
    WHEN 'missing_fields' THEN 'there is no sku ' || sku.id || ', and a new one needs all columns'
    WHEN 'orphan' THEN 'style_id ' || style_id || ' is not loaded'
    ELSE 'sku ' || sku.id || ' is of product ' || found_style.product_id || ', and a sku does not move to another'
  END
FROM {upsert}.planned_skus AS sku
LEFT JOIN {schema}.styles AS found_style ON found_style.id = found_style
WHERE reason IS NOT NULL;
INSERT INTO {upsert}.refused
SELECT 'quantities.csv', quantity_line, 'orphan', 'there is no sku ' || id
FROM {upsert}.planned_skus
WHERE quantity_line IS NOT NULL AND is_new AND (line IS NULL OR reason IS NOT NULL);
