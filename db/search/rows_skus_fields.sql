-- As rows_products_fields.sql and rows_skus.sql.
SELECT field.name, value, string_agg(int4send(style_id), ''::bytea) AS style_ids
FROM {schema}.skus
CROSS JOIN LATERAL json_each_text(fields) AS field (name, value)
WHERE style_id {styles} AND field.name IN ({names})
GROUP BY field.name, value
