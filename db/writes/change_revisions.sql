-- What the changes of the commits from $1 to $2 have besides: members of a JSON object.
SELECT
  seq || '/' || product_id AS change,
  '"revision":' || revision || ',"paths":' || array_to_json(paths[:20]) || ',"actor":' || to_json(actor) || ',' AS members
FROM catalog_log.revisions
WHERE seq BETWEEN $1::bigint AND $2::bigint
