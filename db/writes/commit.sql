-- The last statement of a transaction: numbers it, and stores the revisions $6 and the replies $7 under that number. Load $1 is served;
-- $2 to $5 are products that were created, updated and deleted, and of these those with another card. Without any, nothing is numbered:
-- the number is that of the last commit. $8 is `seen` of catalog_log.append. The cursor is a text as server/core/commit-cursor.js writes it.
WITH appended AS MATERIALIZED (
  SELECT CASE
    WHEN cardinality($2::int[] || $3::int[] || $4::int[]) > 0
    THEN catalog_log.append('content', $1::int, $2, $3, $4, cards => $5::int[], seen => $8::bigint)
  END AS seq
), revised AS (
  INSERT INTO catalog_log.revisions (
    product_id, revision, seq, at, load_id, kind, actor, on_behalf, reason, request_id, content, paths, removed, etag
  )
  SELECT
    product_id, revision, CASE WHEN kind <> 'load' THEN seq END, at, $1, kind, actor, on_behalf, reason, request_id, content,
    ARRAY(SELECT jsonb_array_elements_text(paths)), removed, etag
  FROM appended
  CROSS JOIN jsonb_to_recordset($6::jsonb) AS revision (
    product_id int, revision int, at timestamptz, kind text, actor text, on_behalf text, reason text, request_id text,
    content jsonb, paths jsonb, removed jsonb, etag text
  )
), stored AS (
  INSERT INTO catalog_log.requests (digest, fingerprint, status, headers, body)
  SELECT
    catalog_log.request_digest(key_id, key), fingerprint::uuid, status,
    headers || jsonb_build_object('Catalog-Cursor', head.era || '.' || coalesce(appended.seq, head.seq)), body
  FROM appended
  CROSS JOIN catalog_log.head
  CROSS JOIN jsonb_to_recordset($7::jsonb)
    AS request (key_id text, key text, fingerprint text, status int, headers jsonb, body text)
)
SELECT head.era || '.' || coalesce(appended.seq, head.seq) AS cursor FROM appended CROSS JOIN catalog_log.head
