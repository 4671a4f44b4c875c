-- Stores whether products are hidden, and what happens next: $1 is a JSON list. $2 is who asked; null: it was planned.
INSERT INTO catalog_meta.hidden_products AS state (id, is_hidden, hides_at, shows_at, asked)
SELECT id, hidden, hides, shows, $2::jsonb
FROM jsonb_to_recordset($1::jsonb) AS wanted (id int, hidden boolean, hides timestamptz, shows timestamptz)
ORDER BY id
ON CONFLICT (id) DO UPDATE
SET (is_hidden, hides_at, shows_at, asked) = (excluded.is_hidden, excluded.hides_at, excluded.shows_at, coalesce(excluded.asked, state.asked))
