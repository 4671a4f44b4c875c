-- The features that the search was made of, as loaded_cards.sql.
SELECT product_id, feature, value FROM {schema}.features WHERE product_id NOT IN (SELECT id FROM {schema}.loaded_products)
UNION ALL
SELECT id, element ->> 'feature', element ->> 'value'
FROM {schema}.loaded_products
CROSS JOIN LATERAL json_array_elements(features::json) AS element
