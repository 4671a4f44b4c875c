-- Changes in the order of the log, a row a commit: from commit $1 on without its first $2 changes, up to $3 of them, up to commit $4 of
-- the era $5. No row: the log does not have commit $1.
-- The changes of a commit are its lists, one after the other: created, updated and deleted products end at these places. `first` is the
-- place of the first of `ids`. Commits are visited one by one because only a visit shows how many changes a commit has.
WITH RECURSIVE visited AS (
  SELECT
    $1::bigint - 1 AS seq, NULL::timestamptz AS at, NULL AS kind, NULL::int AS load_id, NULL::boolean AS is_whole, 0 AS created, 0 AS updated,
    0 AS deleted, '{}'::int[] AS ids, 0 AS before, -$2::int AS total
  FROM catalog_log.head
  WHERE era = $5::int
  UNION ALL
  SELECT
    next.seq, next.at, next.kind, next.load_id, next.is_whole, next.created, next.created + next.updated,
    next.created + next.updated + next.deleted, next.ids, visited.total,
    greatest(0, visited.total + CASE WHEN next.is_whole THEN 1 ELSE cardinality(next.ids) END)
  FROM visited
  CROSS JOIN LATERAL (
    SELECT
      seq, at, kind, load_id, is_whole,
      cardinality(created) AS created, cardinality(updated) AS updated, cardinality(deleted) AS deleted,
      created || updated || deleted || restocked AS ids
    FROM catalog_log.commits
    WHERE seq = visited.seq + 1
    OFFSET 0 -- by its key
  ) AS next
  WHERE visited.total < $3::int AND visited.seq < $4::bigint
)
SELECT
  seq, kind, load_id, is_whole, created, updated, deleted,
  to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at,
  greatest(0, -before) AS first,
  array_to_string(ids[greatest(0, -before) + 1 : $3::int - before], ',') AS ids,
  total > $3::int AS is_cut
FROM visited
WHERE seq >= $1::bigint
ORDER BY seq
