-- The products that are to be hidden or published by now, up to 100 of them.
SELECT id FROM catalog_meta.hidden_products WHERE least(hides_at, shows_at) <= clock_timestamp() ORDER BY least(hides_at, shows_at), id LIMIT 100
