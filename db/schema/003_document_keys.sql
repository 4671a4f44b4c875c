-- Run after the documents are filled: keys are cheaper to build than to grow. The larger table first.

-- used by: every read of a product's styles
ALTER TABLE {schema}.styles_documents ADD PRIMARY KEY (id);
-- used by: every read of a product, every page of the list
ALTER TABLE {schema}.product_documents ADD PRIMARY KEY (id);
