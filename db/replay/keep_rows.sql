-- Before the documents are made again: what a replay onto them has added.
UPDATE catalog_meta.loads
SET replayed_rows = (SELECT coalesce(jsonb_object_agg(file, rows), '{}') FROM ({added}) AS added)
WHERE id = {load_id}
