-- Ends a query that has the relation `changes`: the lists of a commit, empty if they would have more than a fifth of the products of {schema},
-- and how many products each kind has.

counted AS (
  SELECT
    count(*) * 5 > (SELECT coalesce(sum(rows), 0) FROM {schema}.page_blocks) AS is_whole,
    count(*) FILTER (WHERE kind = 'created') AS added,
    count(*) FILTER (WHERE kind = 'updated') AS changed,
    count(*) FILTER (WHERE kind = 'restocked') AS restocked,
    count(*) FILTER (WHERE kind = 'deleted') AS removed
  FROM changes
),
listed AS (SELECT changes.* FROM changes JOIN counted ON NOT is_whole)
SELECT
  ARRAY(SELECT id FROM listed WHERE kind = 'created' ORDER BY id) AS created,
  ARRAY(SELECT id FROM listed WHERE kind = 'updated' ORDER BY id) AS updated,
  ARRAY(SELECT id FROM listed WHERE kind = 'deleted' ORDER BY id) AS deleted,
  ARRAY(SELECT id FROM listed WHERE kind = 'restocked' ORDER BY id) AS restocked,
  ARRAY(SELECT id FROM listed WHERE has_card ORDER BY id) AS cards,
  is_whole,
  ARRAY[added, changed, restocked, removed] AS counts
FROM counted
