-- After a replay before the documents are made: how many rows it has added. `verify` adds them to those of the files.
UPDATE catalog_meta.loads
SET replayed_rows = (
  SELECT jsonb_object_agg(file, coalesce((replayed_rows ->> file)::bigint, 0) + now.rows - counted.rows)
  FROM counted
  JOIN ({counts}) AS now USING (file)
)
WHERE id = {load_id}
