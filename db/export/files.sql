-- The six files as they are served, in the order of etl/tables.py. Texts are in quotes, so that the loader keeps the space around them, and a text
-- is never taken for a null. Ids of photos, related ids and features are in no reply, and those of written rows are 0: they are numbered anew.
-- {fields} and {texts} are the columns of fields.json (etl/export_fields.py), if it declares some for the table.

COPY (
  SELECT id, name, slogan, description, category, default_price{fields}
  FROM {schema}.products
  ORDER BY id
) TO STDOUT (FORMAT csv, HEADER, NULL 'null', FORCE_QUOTE (name, slogan, description, category{texts}));

COPY (
  SELECT id, product_id AS "productId", name, sale_price, original_price, is_default::int AS default_style{fields}
  FROM {schema}.styles
  ORDER BY product_id, id
) TO STDOUT (FORMAT csv, HEADER, NULL 'null', FORCE_QUOTE (name{texts}));

COPY (
  SELECT row_number() OVER (ORDER BY style_id, position) AS id, style_id AS "styleId", url, thumbnail_url
  FROM {schema}.photos
  ORDER BY style_id, position
) TO STDOUT (FORMAT csv, HEADER, NULL 'null', FORCE_QUOTE (url, thumbnail_url));

COPY (
  SELECT id, style_id AS "styleId", size, greatest(quantity, 0) AS quantity{fields}
  FROM {schema}.skus
  ORDER BY style_id, id
) TO STDOUT (FORMAT csv, HEADER, NULL 'null', FORCE_QUOTE (size{texts}));

COPY (
  SELECT
    row_number() OVER (ORDER BY product_id, position) AS id,
    product_id AS current_product_id,
    related_product_id
  FROM {schema}.related
  ORDER BY product_id, position
) TO STDOUT (FORMAT csv, HEADER, NULL 'null');

COPY (
  SELECT row_number() OVER (ORDER BY product_id, position) AS id, product_id, feature, value
  FROM {schema}.features
  ORDER BY product_id, position
) TO STDOUT (FORMAT csv, HEADER, NULL 'null', FORCE_QUOTE (feature, value));
