-- The time of a version grows with each change, even if the machine's clock was set back. Workers treat the later time as the
-- later data (server/store/servers/server-choice.js); without this they would serve old rows under the new version.

CREATE OR REPLACE FUNCTION catalog_meta.bump_version(changed_load_id int DEFAULT NULL) RETURNS bigint
LANGUAGE sql AS $$
  WITH bumped AS (
    UPDATE catalog_meta.data_version
    SET version = version + 1, load_id = coalesce(changed_load_id, load_id),
        changed_at = greatest(clock_timestamp(), changed_at + interval '1 microsecond')
    RETURNING version
  ), told AS (
    SELECT pg_notify('catalog_version', version::text) FROM bumped
  )
  SELECT version FROM bumped, told;
$$;
