-- After rebuild.sql of the touched products $1 in {schema}: where the content is what {served} has, so are the times; and readers see that the
-- products are written, as of commit $2.
WITH timed AS (
  UPDATE {schema}.product_documents AS made
  SET created_at = served.created_at, updated_at = served.updated_at, head = served.head
  FROM {served}.product_documents AS served
  WHERE made.id = ANY ($1::int[]) AND served.id = made.id AND served.content = made.content
)
INSERT INTO {schema}.product_state (id, product_seq, styles_seq, built_seq)
SELECT id, $2::bigint, $2, $2 FROM unnest($1::int[]) AS id
ON CONFLICT (id) DO UPDATE SET product_seq = $2, styles_seq = $2, built_seq = $2
