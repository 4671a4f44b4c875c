-- Whose operations a row of the log has. What became of a request can be read by its position, and what a leaked key did is found.
ALTER TABLE catalog_log.stock_log
  ADD COLUMN requests int[] NOT NULL DEFAULT '{}', -- the number of operations of each request, in their order
  ADD COLUMN actors text[] NOT NULL DEFAULT '{}', -- the name of its API key
  ADD CHECK (cardinality(requests) = cardinality(actors));
