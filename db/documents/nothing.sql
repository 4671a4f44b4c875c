-- Takes the place of stored.sql where nothing is served that can be compared.

SELECT
  NULL::int AS id,
  NULL::timestamptz AS created_at,
  NULL::timestamptz AS updated_at,
  NULL::bigint AS content,
  NULL::bigint AS digest,
  NULL::text AS card_head,
  NULL::text AS offer,
  NULL::text AS card_fields,
  false AS is_hidden
WHERE false
