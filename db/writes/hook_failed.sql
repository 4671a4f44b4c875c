-- Lets hook $1 wait twice as long as before, from 1 s to 1 h, after the answer $4 to the request from $2 to $3; after 24 hours of this it is paused.
UPDATE catalog_meta.hooks
SET
  failures = failures + 1,
  failing_since = coalesce(failing_since, clock_timestamp()),
  next_at = clock_timestamp() + least(interval '1 hour', interval '1 second' * power(2, least(failures, 12))),
  paused = CASE WHEN failing_since < clock_timestamp() - interval '24 hours' THEN 'failing' END,
  answer = $4,
  answered_at = clock_timestamp()
WHERE id = $1 AND cursor = $2 AND bound = $3 AND paused IS NULL
RETURNING paused
