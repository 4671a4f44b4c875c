-- Runs after the documents are filled, because building a key is cheaper than growing it. The largest table first.

-- used by: every read of a product's styles
ALTER TABLE {schema}.styles_documents ADD PRIMARY KEY (id);
-- used by: every read of a product, every page of the list
ALTER TABLE {schema}.product_documents ADD PRIMARY KEY (id);
-- used by: every read of cards
ALTER TABLE {schema}.cards ADD PRIMARY KEY (id);
