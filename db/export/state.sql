-- The state of the catalog in the snapshot, for the manifest of an export, and the number of its schema: a swap gives that another name.
SELECT
  head.era || '.' || head.seq AS cursor,
  data.version || '-' || (extract(epoch FROM data.changed_at) * 1000000)::bigint AS catalog_version,
  loads.campus,
  (SELECT convert_from(body, 'UTF8') FROM {schema}.search_blobs WHERE name = 'language') AS language,
  loads.id AS load_id,
  (SELECT content FROM catalog_meta.declarations WHERE load_id = loads.id) AS declared,
  ARRAY(SELECT id FROM {schema}.hidden_documents ORDER BY id) AS hidden,
  to_regnamespace('{schema}')::oid::int AS schema_oid
FROM catalog_log.head
CROSS JOIN catalog_meta.data_version AS data
JOIN catalog_meta.loads ON loads.state = 'live'
