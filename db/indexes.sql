-- Keys and indexes of a load, built after the rows. The loader runs these statements on several connections at
-- once, largest first; each earns its place by what stands after "used by".

-- used by: documents/styles.sql, one product's rebuild after a write to a sku
ALTER TABLE {schema}.skus ADD PRIMARY KEY (id);
-- used by: documents/styles.sql, photos of a style
CREATE INDEX photos_style_id ON {schema}.photos (style_id);
-- used by: documents/styles.sql, skus of a style
CREATE INDEX skus_style_id ON {schema}.skus (style_id);
-- used by: a write to a photo
ALTER TABLE {schema}.photos ADD PRIMARY KEY (id);
-- used by: documents/product.sql, related products of a product
CREATE INDEX related_product_id ON {schema}.related (product_id);
-- used by: a write to a related row
ALTER TABLE {schema}.related ADD PRIMARY KEY (id);
-- used by: documents/product.sql, features of a product
CREATE INDEX features_product_id ON {schema}.features (product_id);
-- used by: a write to a feature
ALTER TABLE {schema}.features ADD PRIMARY KEY (id);
-- used by: documents/styles.sql, styles of a product
CREATE INDEX styles_product_id ON {schema}.styles (product_id);
-- used by: a write to a style
ALTER TABLE {schema}.styles ADD PRIMARY KEY (id);
-- used by: documents/*.sql, ranges of products
ALTER TABLE {schema}.products ADD PRIMARY KEY (id);
