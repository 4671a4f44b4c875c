-- Rows that were loaded after a repair: what a rule changed, as written in the file and as served.

CREATE TABLE catalog_meta.repairs (
  load_id int NOT NULL REFERENCES catalog_meta.loads ON DELETE CASCADE,
  file text NOT NULL,
  line int NOT NULL,
  rule text NOT NULL,
  -- The fields that the rule changed, joined by commas as in the row. Only the beginning of long fields.
  columns text NOT NULL,
  before text NOT NULL,
  after text NOT NULL,
  PRIMARY KEY (load_id, file, line, rule)
);
