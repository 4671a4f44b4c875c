-- After rebuild.sql of the products $1 in {schema}: where the content is what {served} has, so are the times.
WITH hidden AS (
  UPDATE {schema}.hidden_documents AS made
  SET created_at = served.created_at, updated_at = served.updated_at, head = served.head
  FROM {served}.hidden_documents AS served
  WHERE made.id = ANY ($1::int[]) AND served.id = made.id AND served.content = made.content
)
UPDATE {schema}.product_documents AS made
SET created_at = served.created_at, updated_at = served.updated_at, head = served.head
FROM {served}.product_documents AS served
WHERE made.id = ANY ($1::int[]) AND served.id = made.id AND served.content = made.content
