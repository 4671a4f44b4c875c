-- Further members of the changes in the commits from $1 to $2, as JSON.
SELECT
  seq || '/' || product_id AS change,
  '"revision":' || revision || ',"paths":' || array_to_json(paths[:20]) || ',"actor":' || to_json(actor) || ',' AS members
FROM catalog_log.revisions
WHERE seq BETWEEN $1::bigint AND $2::bigint
