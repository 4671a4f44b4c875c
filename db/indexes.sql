-- The keys of a load, built after the rows, largest first, by several connections at once. One index a table: the column that finds
-- its rows, then the column that orders them. The loader's bitmaps reject repeated ids (etl/rows/keys.py). Those
-- by the id of a sku or a style follow (write_indexes.sql).

-- used by: documents/styles.sql, skus of a style in the order of their ids
ALTER TABLE {schema}.skus ADD PRIMARY KEY (style_id, id);
-- used by: documents/styles.sql, photos of a style in the order of their file
ALTER TABLE {schema}.photos ADD PRIMARY KEY (style_id, position);
-- used by: documents/product.sql, related products of a product in the order of their file
ALTER TABLE {schema}.related ADD PRIMARY KEY (product_id, position);
-- used by: documents/product.sql, features of a product in the order of their file
ALTER TABLE {schema}.features ADD PRIMARY KEY (product_id, position);
-- used by: documents/styles.sql, styles of a product in the order of their ids
ALTER TABLE {schema}.styles ADD PRIMARY KEY (product_id, id);
-- used by: documents/*.sql, ranges of products
ALTER TABLE {schema}.products ADD PRIMARY KEY (id);
