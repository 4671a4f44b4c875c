-- The four roles of the catalog. Run as superuser in the catalog's database; running it again changes nothing.
-- No passwords here: the command that starts the server sets them. A role is altered only when it differs, because two
-- databases of one cluster may be prepared at once, and PostgreSQL refuses concurrent changes of one role.

-- A function in another schema could hide a built-in one and would run as superuser.
SET search_path = pg_catalog;

DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['catalog_owner NOLOGIN', 'catalog_loader LOGIN', 'catalog_api LOGIN', 'catalog_writer LOGIN'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = split_part(wanted, ' ', 1)) THEN
        EXECUTE 'CREATE ROLE ' || wanted;
      END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL; -- another run created it after the check
    END;
  END LOOP;

  IF NOT pg_has_role('catalog_loader', 'catalog_owner', 'MEMBER') THEN
    GRANT catalog_owner TO catalog_loader;
  END IF;

  -- The loader needs the data directory's path, to refuse a load that its disk cannot hold.
  IF NOT pg_has_role('catalog_owner', 'pg_read_all_settings', 'MEMBER') THEN
    GRANT pg_read_all_settings TO catalog_owner;
  END IF;

  -- A second safeguard beside the missing grants: the API's role does not write by default, even if it gets too many grants.
  IF NOT EXISTS (
    SELECT FROM pg_db_role_setting
    WHERE setrole = 'catalog_api'::regrole AND setdatabase = 0
      AND 'default_transaction_read_only=on' = ANY (setconfig)
  ) THEN
    ALTER ROLE catalog_api SET default_transaction_read_only = on;
  END IF;

  -- Timeouts for a session that sends none when it connects, as behind a pooler: those of a worker's connections (the PG_* settings).
  -- The other settings are what its queries rely on (server/store/connection-options.js), whatever the defaults of the database are.
  -- A setting that an operator gave the role stays. No CONNECTION LIMIT: the size of the fleet is unknown here, and a rolling
  -- deploy exceeds it.
  -- One plan for every page: PostgreSQL estimates the unknown LIMIT as a tenth of the table, so it would plan each page again. That took
  -- 0.15 ms instead of 0.10 for a page of five (pgbench, a million products). With ten million rows, the estimate would also start jit.
  FOREACH wanted IN ARRAY ARRAY[
    'statement_timeout=8s', 'lock_timeout=1300ms', 'transaction_timeout=0', 'search_path=pg_catalog',
    'default_transaction_isolation=read committed', 'idle_session_timeout=0', 'exit_on_error=off',
    'client_min_messages=warning', 'plan_cache_mode=force_generic_plan', 'jit=off'
  ] LOOP
    -- PostgreSQL 15 and 16 have no transaction_timeout.
    IF EXISTS (SELECT FROM pg_settings WHERE name = split_part(wanted, '=', 1)) AND NOT EXISTS (
      SELECT FROM pg_db_role_setting, unnest(setconfig) AS present
      WHERE setrole = 'catalog_api'::regrole AND setdatabase = 0
        AND split_part(present, '=', 1) = split_part(wanted, '=', 1)
        AND present <> 'lock_timeout=400ms' -- set by an earlier release
    ) THEN
      EXECUTE format('ALTER ROLE catalog_api SET %I = %L', split_part(wanted, '=', 1), split_part(wanted, '=', 2));
    END IF;
  END LOOP;

  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CONNECT, CREATE, TEMPORARY ON DATABASE %I TO catalog_owner', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO catalog_loader, catalog_api, catalog_writer', current_database());
END
$$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
