-- Values of products with their styles and skus in the scales of `scale` (field_scales.sql), of products whose id is {wanted}, each once.
-- A date is its moment in UTC, in the order of time by bytes and to the nanosecond, which a timestamp cannot hold; midnight is the day alone.
-- An offset may lead beyond the years that have four digits. server/core/field-range.js makes the same.
SELECT DISTINCT name, id, value, number
FROM (
  SELECT
    scale.name,
    id,
    CASE type WHEN 'number' THEN text ELSE regexp_replace(
      to_char(
        least(greatest(
          (part[1] || ' ' || coalesce(part[2], '00:00'))::timestamp - CASE WHEN part[4] ~ '^[+-]' THEN part[4] ELSE '0' END::interval,
          '0001-01-01'
        ), '9999-12-31 23:59:59'),
        'YYYY-MM-DD"T"HH24:MI:SS'
      ) || rtrim(rtrim(coalesce('.' || part[3], ''), '0'), '.'),
      'T00:00:00$', ''
    ) END COLLATE "C" AS value,
    CASE type WHEN 'number' THEN text::numeric END AS number
  FROM (
    SELECT 'products' AS of_table, id, fields FROM {schema}.products
    WHERE id {wanted} AND EXISTS (SELECT FROM scale WHERE of_table = 'products')
    UNION ALL
    SELECT 'styles', product_id, fields FROM {schema}.styles
    WHERE product_id {wanted} AND EXISTS (SELECT FROM scale WHERE of_table = 'styles')
    UNION ALL
    SELECT 'skus', product_id, sku.fields
    FROM {schema}.skus AS sku
    JOIN {schema}.styles AS style ON style.id = style_id
    WHERE product_id {wanted} AND EXISTS (SELECT FROM scale WHERE of_table = 'skus')
  ) AS owner
  JOIN scale USING (of_table)
  CROSS JOIN LATERAL (SELECT fields ->> scale.name) AS field (text)
  CROSS JOIN LATERAL regexp_match(
    CASE type WHEN 'date' THEN text END, '^(.{10})(?:T(\d\d:\d\d(?::\d\d)?)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?)?$'
  ) AS part
  WHERE text IS NOT NULL
) AS typed
