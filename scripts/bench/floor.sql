-- Primary keys and secondary indexes as a careful person gives them: each row by its id, each child by its parent.

ALTER TABLE {schema}.products ADD PRIMARY KEY (id);
ALTER TABLE {schema}.styles ADD PRIMARY KEY (id);
ALTER TABLE {schema}.photos ADD PRIMARY KEY (id);
ALTER TABLE {schema}.skus ADD PRIMARY KEY (id);
ALTER TABLE {schema}.features ADD PRIMARY KEY (id);
ALTER TABLE {schema}.related ADD PRIMARY KEY (id);
CREATE INDEX ON {schema}.styles (product_id);
CREATE INDEX ON {schema}.photos (style_id);
CREATE INDEX ON {schema}.skus (style_id);
CREATE INDEX ON {schema}.features (product_id);
CREATE INDEX ON {schema}.related (product_id);
