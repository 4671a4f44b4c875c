-- The rows of the six files. {schema} is the schema of a load.
-- Keys are built after the rows (../indexes.sql). Autovacuum is off until the swap: it would read the tables while keys are built,
-- and each build would wait for it.

CREATE TABLE {schema}.products (
  id int NOT NULL,
  name text NOT NULL,
  slogan text NOT NULL,
  description text NOT NULL,
  category text NOT NULL,
  default_price numeric NOT NULL,
  fields json
) WITH (autovacuum_enabled = false);
COMMENT ON TABLE {schema}.products IS 'Products: a row of product.csv each, as cleaned and as writes changed it';
COMMENT ON COLUMN {schema}.products.id IS 'Number of the product';
COMMENT ON COLUMN {schema}.products.name IS 'Name';
COMMENT ON COLUMN {schema}.products.slogan IS 'One line below the name';
COMMENT ON COLUMN {schema}.products.description IS 'Text of the product page';
COMMENT ON COLUMN {schema}.products.category IS 'Category, a facet of searches';
COMMENT ON COLUMN {schema}.products.default_price IS 'Price of a product without styles';
COMMENT ON COLUMN {schema}.products.fields IS 'Values of the fields that fields.json declares: JSON in declared order, without spaces; null: it declares none';

CREATE TABLE {schema}.styles (
  id int NOT NULL,
  product_id int NOT NULL,
  name text NOT NULL,
  sale_price numeric,
  original_price numeric NOT NULL,
  is_default boolean NOT NULL,
  fields json
) WITH (autovacuum_enabled = false);
COMMENT ON TABLE {schema}.styles IS 'Variants of a product, such as its colours: a row of styles.csv each';
COMMENT ON COLUMN {schema}.styles.id IS 'Number of the style';
COMMENT ON COLUMN {schema}.styles.product_id IS 'Its product';
COMMENT ON COLUMN {schema}.styles.name IS 'Name';
COMMENT ON COLUMN {schema}.styles.sale_price IS 'Price that is paid; null: original_price';
COMMENT ON COLUMN {schema}.styles.original_price IS 'Price before a reduction';
COMMENT ON COLUMN {schema}.styles.is_default IS 'True: shown first; a product may have several or none';
COMMENT ON COLUMN {schema}.styles.fields IS 'Values of the fields that fields.json declares: JSON in declared order, without spaces; null: it declares none';

CREATE TABLE {schema}.photos (
  id int NOT NULL,
  style_id int NOT NULL,
  position int NOT NULL,
  url text NOT NULL,
  thumbnail_url text NOT NULL
) WITH (autovacuum_enabled = false);
COMMENT ON TABLE {schema}.photos IS 'Photos of styles: a row of photos.csv each';
COMMENT ON COLUMN {schema}.photos.id IS 'Number of the photo';
COMMENT ON COLUMN {schema}.photos.style_id IS 'Its style';
COMMENT ON COLUMN {schema}.photos.position IS 'Line in the file: replies have file order';
COMMENT ON COLUMN {schema}.photos.url IS 'Address of the photo';
COMMENT ON COLUMN {schema}.photos.thumbnail_url IS 'Address of a small one';

CREATE TABLE {schema}.skus (
  id int NOT NULL,
  style_id int NOT NULL,
  size text NOT NULL,
  quantity int NOT NULL,
  fields json
) WITH (autovacuum_enabled = false, fillfactor = 90); -- room for new quantities: into a full page they cost twice as much
COMMENT ON TABLE {schema}.skus IS 'Sizes of styles with their stock: a row of skus.csv each';
COMMENT ON COLUMN {schema}.skus.id IS 'Number of the sku';
COMMENT ON COLUMN {schema}.skus.style_id IS 'Its style';
COMMENT ON COLUMN {schema}.skus.size IS 'Size, such as XL';
COMMENT ON COLUMN {schema}.skus.quantity IS 'Pieces in stock; below 0: sold before they were counted, shown as 0';
COMMENT ON COLUMN {schema}.skus.fields IS 'Values of the fields that fields.json declares: JSON in declared order, without spaces; null: it declares none';

CREATE TABLE {schema}.features (
  id int NOT NULL,
  product_id int NOT NULL,
  position int NOT NULL,
  feature text NOT NULL,
  value text
) WITH (autovacuum_enabled = false);
COMMENT ON TABLE {schema}.features IS 'Features of products, such as a fabric: a row of features.csv each';
COMMENT ON COLUMN {schema}.features.id IS 'Number of the row';
COMMENT ON COLUMN {schema}.features.product_id IS 'Its product';
COMMENT ON COLUMN {schema}.features.position IS 'Line in the file: replies have file order';
COMMENT ON COLUMN {schema}.features.feature IS 'Name of the feature';
COMMENT ON COLUMN {schema}.features.value IS 'Value; null: the product just has it';

CREATE TABLE {schema}.related (
  id int NOT NULL,
  product_id int NOT NULL,
  position int NOT NULL,
  related_product_id int NOT NULL
) WITH (autovacuum_enabled = false);
COMMENT ON TABLE {schema}.related IS 'Products that another product names as related: a row of related.csv each';
COMMENT ON COLUMN {schema}.related.id IS 'Number of the row';
COMMENT ON COLUMN {schema}.related.product_id IS 'The product that names it';
COMMENT ON COLUMN {schema}.related.position IS 'Line in the file: replies have file order';
COMMENT ON COLUMN {schema}.related.related_product_id IS 'The named product, which may be hidden';
