-- The last revision of each of the products $1. Its content only where another load is served since: that may have changed it.
-- It is text, because its numbers are exact.
SELECT
  last.product_id AS id, last.revision, last.kind, last.actor,
  last.load_id <> version.load_id AS is_of_other_load,
  CASE WHEN last.load_id <> version.load_id THEN last.content::text END AS content
FROM unnest($1::int[]) AS wanted (id)
CROSS JOIN catalog_meta.data_version AS version
CROSS JOIN LATERAL (
  SELECT * FROM catalog_log.revisions WHERE product_id = wanted.id ORDER BY revision DESC LIMIT 1
) AS last
