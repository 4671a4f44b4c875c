-- The ids by position, 4 bytes each, high byte first.
SELECT string_agg(int4send(id), ''::bytea ORDER BY id) FROM {cards}
