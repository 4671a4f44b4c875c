-- The declared numbers and dates that searches order or find ranges of, from the declaration as the search keeps it.
SELECT of_table, own.name, field ->> 'type' AS type
FROM {schema}.search_blobs AS blob
CROSS JOIN LATERAL json_each(convert_from(body, 'UTF8')::json) AS declared (of_table, fields)
CROSS JOIN LATERAL json_each(fields) AS own (name, field)
WHERE blob.name = 'fields'
  AND field ->> 'type' IN ('number', 'date')
  AND ((field ->> 'facet')::boolean OR (field ->> 'sort')::boolean)
