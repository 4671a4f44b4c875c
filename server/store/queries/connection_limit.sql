-- The connections that an ordinary role may take, and those that this one has: all workers' that are connected now.
SELECT
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
  (SELECT count(*) FROM pg_stat_activity WHERE usename = session_user)
