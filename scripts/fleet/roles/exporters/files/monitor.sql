-- Replicas get the role from their primary. Four connections: the exporter uses one, and an operator may look, too.
DO $$
BEGIN
    IF NOT pg_is_in_recovery() AND to_regrole('catalog_monitor') IS NULL THEN
        CREATE ROLE catalog_monitor LOGIN CONNECTION LIMIT 4 IN ROLE pg_monitor;
        RAISE NOTICE 'made';
    END IF;
END $$;
