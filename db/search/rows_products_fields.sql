-- Values of the declared fields {names}, as rows_features.sql. A list is one value here.
SELECT field.name, value, string_agg(int4send(id), ''::bytea) AS product_ids
FROM {schema}.products
CROSS JOIN LATERAL json_each_text(fields) AS field (name, value)
WHERE id BETWEEN {first} AND {last} AND field.name IN ({names})
GROUP BY field.name, value
