-- The positions by folded name, then name, both by bytes, then id; 4 bytes each, high byte first.
-- lower() of this collation changes only ASCII.
SELECT string_agg(int4send(position), ''::bytea ORDER BY folded, name, id)
FROM (
  SELECT
    id,
    name COLLATE "C" AS name,
    coalesce(folded, lower(name COLLATE "C")) COLLATE "C" AS folded,
    (row_number() OVER (ORDER BY id) - 1)::int AS position
  FROM {schema}.products
  LEFT JOIN {schema}.search_names USING (id)
) AS named
