-- The cards that the search was made of: those of products that were written since the load are kept aside.
SELECT id, price, offer FROM {schema}.cards WHERE id NOT IN (SELECT id FROM {schema}.loaded_cards)
UNION ALL
SELECT id, (offer::json ->> 'price')::numeric, offer FROM {schema}.loaded_cards WHERE offer IS NOT NULL
