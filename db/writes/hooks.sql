-- All hooks, each with the last commit, and with the age of the first commit that it was not sent whole.
SELECT
  hooks.id, url, types, allow_private, cursor, bound, paused, failures, head.era, head.seq,
  -- A wait of more than the longest: the clock was put back.
  next_at <= clock_timestamp() OR next_at > clock_timestamp() + interval '1 hour' AS is_due,
  extract(epoch FROM test_asked_at)::text AS test,
  coalesce(extract(epoch FROM clock_timestamp() - commits.at), 0)::float AS behind_s
FROM catalog_meta.hooks
CROSS JOIN catalog_log.head
LEFT JOIN catalog_log.commits
  ON split_part(cursor, '.', 1) = head.era::text
  AND commits.seq = split_part(cursor, '.', 2)::bigint + (split_part(cursor, '.', 3) = '')::int
ORDER BY hooks.id
