-- The tables that the API or the writer may read, as an entity-relationship diagram of Mermaid: the lines of catalog.mmd. A column names another
-- table by its name, or by its comment where it is the id of a product.
WITH class AS (
  SELECT oid, relname AS name
  FROM pg_class
  WHERE relnamespace IN ('catalog'::regnamespace, 'catalog_log'::regnamespace, 'catalog_meta'::regnamespace) AND relkind IN ('r', 'v')
), field AS (
  SELECT
    class.name AS owner,
    attname AS name,
    replace(format_type(atttypid, NULL), ' ', '_') AS type,
    attnum AS place,
    EXISTS (SELECT FROM pg_index WHERE indrelid = class.oid AND indisprimary AND attnum = ANY (indkey)) AS is_key,
    coalesce(col_description(class.oid, attnum), '') AS comment
  FROM class
  JOIN pg_attribute ON attrelid = class.oid AND attnum > 0 AND NOT attisdropped
  WHERE has_column_privilege('catalog_api', class.oid, attnum, 'SELECT') OR has_column_privilege('catalog_writer', class.oid, attnum, 'SELECT')
), line AS (
  SELECT owner, 0 AS place, format('  %s {', owner) AS text FROM field
  UNION
  SELECT owner, place, format('    %s %s%s "%s"', type, name, CASE WHEN is_key THEN ' PK' ELSE '' END, replace(comment, '"', '#quot;')) FROM field
  UNION
  SELECT owner, 1000, '  }' FROM field
  UNION
  SELECT 'zz ' || field.owner, place, format('  %s ||--o%s %s : %s', class.name, CASE WHEN field.name = 'id' THEN '|' ELSE '{' END, field.owner, field.name)
  FROM field
  JOIN class ON field.name ~ '_id$' AND class.name = regexp_replace(field.name, '^(related_)?(.*)_id$', '\2s') AND class.name <> 'requests'
    OR class.name = 'products' AND field.owner <> 'products' AND field.name = 'id' AND comment LIKE 'Number of the product%'
)
SELECT 'erDiagram' || E'\n' || string_agg(text, E'\n' ORDER BY owner COLLATE "C", place) || E'\n' FROM line
