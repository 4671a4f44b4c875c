-- The key of a declared field of skus that is looked up; {field} is its name. It has hashes, because a value may be too long for a key.

-- used by: server/store/queries/skus_by_field.sql
CREATE INDEX IF NOT EXISTS skus_by_field_{field} ON {schema}.skus (hashtextextended(fields ->> '{field}', 0));
