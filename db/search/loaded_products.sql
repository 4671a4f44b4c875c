-- The products that the search was made of, as loaded_cards.sql.
SELECT id, name, category FROM {schema}.products WHERE id NOT IN (SELECT id FROM {schema}.loaded_products)
UNION ALL
SELECT id, (head || '}')::json ->> 'name', (head || '}')::json ->> 'category' FROM {schema}.loaded_products WHERE head IS NOT NULL
