-- As rows_products_fields.sql.
SELECT field.name, value, string_agg(int4send(product_id), ''::bytea) AS product_ids
FROM {schema}.styles
CROSS JOIN LATERAL json_each_text(fields) AS field (name, value)
WHERE product_id BETWEEN {first} AND {last} AND field.name IN ({names})
GROUP BY field.name, value
