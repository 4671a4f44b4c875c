-- Products come as one list for each value: most values are of many products.
SELECT feature, value, string_agg(int4send(product_id), ''::bytea) AS product_ids
FROM {schema}.features
WHERE product_id BETWEEN {first} AND {last} AND value IS NOT NULL
GROUP BY feature, value
