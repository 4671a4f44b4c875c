-- The positions by price of the card, then id; 4 bytes each, high byte first.
SELECT string_agg(int4send(position), ''::bytea ORDER BY price, id)
FROM (SELECT id, price, (row_number() OVER (ORDER BY id) - 1)::int AS position FROM {schema}.cards) AS card
