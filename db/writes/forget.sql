-- Deletes a piece of the log that is older than is kept, and counts its rows.
SELECT catalog_log.forget()::int AS count
