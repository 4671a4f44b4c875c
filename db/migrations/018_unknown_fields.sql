-- Replays onto loads with other fields: a write keeps those that both loads declare with one type.

ALTER TABLE catalog_meta.rejected_writes
  DROP CONSTRAINT rejected_writes_reason_check,
  ADD CONSTRAINT rejected_writes_reason_check CHECK (
    reason IN ('unknown-product', 'unknown-style', 'unknown-sku', 'unknown-related', 'unknown-field', 'taken', 'out-of-range')
  );

-- The fields that a load declares for a table, in declared order; {} without any.
CREATE FUNCTION catalog_meta.declared_names(load int, kind text) RETURNS text[]
LANGUAGE sql STABLE
RETURN (
  SELECT coalesce(array_agg(key ORDER BY place), '{}')
  FROM catalog_meta.declarations
  CROSS JOIN json_each(content -> kind) WITH ORDINALITY AS field (key, value, place)
  WHERE load_id = load
);

-- The fields of a row as its table has them: JSON without spaces, in the order of `names`, null where nothing is declared.
CREATE FUNCTION catalog_log.fields_json(fields jsonb, names text[]) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE WHEN cardinality(names) > 0 THEN (
  SELECT '{' || coalesce(string_agg('"' || name || '":' || CASE jsonb_typeof(value)
    WHEN 'array' THEN (
      SELECT '[' || string_agg(each::text, ',' ORDER BY at) || ']' FROM jsonb_array_elements(value) WITH ORDINALITY AS listed (each, at)
    )
    ELSE value::text
  END, ',' ORDER BY place), '') || '}'
  FROM unnest(names) WITH ORDINALITY AS declared (name, place)
  CROSS JOIN LATERAL (SELECT fields -> name AS value) AS own
  WHERE value <> 'null'
) END;

-- A row with just these fields, null where it has none, so that a replay finds each of them.
CREATE FUNCTION catalog_log.row_with_fields(own jsonb, names text[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE
RETURN CASE WHEN cardinality(names) > 0 THEN own || jsonb_build_object('fields', (
  SELECT jsonb_object_agg(name, coalesce(own -> 'fields' -> name, 'null')) FROM unnest(names) AS name
)) ELSE own - 'fields' END;

-- A content whose rows have just these fields. NULL is no product.
CREATE FUNCTION catalog_log.with_fields(content jsonb, products text[], styles text[], skus text[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE
RETURN catalog_log.row_with_fields(content, products) || jsonb_build_object('styles', (
  SELECT coalesce(jsonb_object_agg(
    style.key,
    catalog_log.row_with_fields(style.value, styles) || jsonb_build_object('skus', (
      SELECT coalesce(jsonb_object_agg(sku.key, catalog_log.row_with_fields(sku.value, skus)), '{}')
      FROM jsonb_each(style.value -> 'skus') AS sku
    ))
  ), '{}')
  FROM jsonb_each(content -> 'styles') AS style
));

-- All fields of a content, with the JSON pointer of each.
CREATE FUNCTION catalog_log.fields_in(content jsonb) RETURNS TABLE (kind text, path text, name text, value jsonb)
LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
  SELECT own.kind, own.path || '/fields/' || field.key, field.key, field.value
  FROM (
    SELECT 'products' AS kind, '' AS path, content AS value
    UNION ALL
    SELECT 'styles', '/styles/' || style.key, style.value FROM jsonb_each(content -> 'styles') AS style
    UNION ALL
    SELECT 'skus', '/styles/' || style.key || '/skus/' || sku.key, sku.value
    FROM jsonb_each(content -> 'styles') AS style
    CROSS JOIN jsonb_each(style.value -> 'skus') AS sku
  ) AS own
  CROSS JOIN jsonb_each(own.value -> 'fields') AS field;
END;
