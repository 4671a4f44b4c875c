-- Runs after the sets are filled, because building a key is cheaper than growing it.

-- used by: every read of sets
ALTER TABLE {schema}.search_sets ADD PRIMARY KEY (key, chunk);
