-- The connections that an ordinary role may take.
SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
