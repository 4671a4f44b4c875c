-- Begins a replay onto load {load_id} in {schema}, in a transaction that sees one state: finds the writes, and what they make of the products.

-- The commits to replay: those that {served} has and the files lack. {served} has those of its own load, and those that were replayed
-- onto that. A write that was dropped by a load or an unswap stays dropped.
CREATE TEMP TABLE log ON COMMIT DROP AS
WITH RECURSIVE served AS (
  SELECT live.id AS load_id, coalesce(load.replayed_seq, load.as_of) AS after, head.seq AS until
  FROM catalog_log.head
  JOIN catalog_meta.loads AS load ON load.id = {load_id}
  JOIN catalog_meta.loads AS live ON live.state = 'live'
  UNION ALL
  SELECT load.replayed_from, greatest(served.after, load.as_of), load.replayed_seq
  FROM served
  JOIN catalog_meta.loads AS load ON load.id = served.load_id
  WHERE load.as_of IS NOT NULL
)
SELECT
  commits.seq,
  created || updated || deleted AS products,
  coalesce(
    (SELECT stock_pos FROM catalog_log.commits AS earlier WHERE seq < commits.seq AND stock_pos IS NOT NULL ORDER BY seq DESC LIMIT 1), 0
  ) AS after_pos,
  stock_pos
FROM catalog_log.commits
JOIN served ON served.load_id = commits.load_id AND commits.seq > after AND commits.seq <= until
WHERE kind IN ('content', 'stock')
UNION ALL
-- Operations since the last commit: a writer of an earlier release makes none for those that change nothing.
SELECT
  head.seq + 1,
  '{}',
  greatest(
    (SELECT stock_pos FROM catalog_log.commits WHERE stock_pos IS NOT NULL ORDER BY seq DESC LIMIT 1),
    (SELECT served_pos FROM catalog_meta.loads WHERE state = 'live')
  ),
  applied.pos
FROM catalog_log.head
CROSS JOIN catalog_log.stock_applied AS applied;
ANALYZE log;

-- The revisions, each with the one before it: a write's change is between these two, whatever a load changed earlier.
CREATE TEMP TABLE revised ON COMMIT DROP AS
SELECT
  write.product_id,
  write.revision,
  write.seq,
  earlier.content AS before,
  write.content AS after,
  first_value(write.content) OVER (PARTITION BY write.product_id ORDER BY write.revision DESC) IS NULL AS is_deleted
FROM (SELECT DISTINCT unnest(products) AS id FROM log) AS product
JOIN catalog_log.revisions AS write ON write.product_id = product.id
JOIN log ON log.seq = write.seq
LEFT JOIN catalog_log.revisions AS earlier ON earlier.product_id = write.product_id AND earlier.revision = write.revision - 1;
-- A product that was created while the files were read is not the one that they have under its id.
INSERT INTO catalog_meta.rejected_writes (load_id, seq, product_id, path, reason)
SELECT {load_id}, seq, product_id, '', 'taken'
FROM revised
JOIN catalog_meta.loads ON loads.id = {load_id} AND seq > began_seq
JOIN {schema}.products ON products.id = product_id
WHERE revision = 1;
DELETE FROM revised
WHERE product_id IN (SELECT product_id FROM catalog_meta.rejected_writes WHERE load_id = {load_id} AND reason = 'taken' AND path = '');
ANALYZE revised;

CREATE TEMP TABLE folded ON COMMIT DROP AS
SELECT
  revised.*,
  loaded.content AS ours,
  catalog_log.replayed(loaded.content, before, after) OVER (PARTITION BY product_id ORDER BY revision) AS state
FROM revised
LEFT JOIN ({content}) AS loaded ON loaded.id = product_id;

INSERT INTO catalog_meta.rejected_writes (load_id, seq, product_id, path, reason)
SELECT
  {load_id}, seq, product_id, path,
  CASE WHEN path = '' THEN 'unknown-product' WHEN path LIKE '%/skus/%' THEN 'unknown-sku' ELSE 'unknown-style' END
FROM (
  SELECT *, nullif(coalesce(lag(state) OVER (PARTITION BY product_id ORDER BY revision), ours), 'null') AS found FROM folded
) AS write
CROSS JOIN LATERAL catalog_log.not_replayed(found, before, after) AS path
WHERE NOT is_deleted;

CREATE TEMP TABLE wanted ON COMMIT DROP AS
SELECT *
FROM (
  SELECT DISTINCT ON (product_id) product_id AS id, ours, nullif(state, 'null') AS content
  FROM folded
  ORDER BY product_id, revision DESC
) AS last
WHERE ours IS DISTINCT FROM content;
ANALYZE wanted;

-- The products whose rows change: a deleted one also leaves the lists of others.
CREATE TEMP TABLE touched ON COMMIT DROP AS
SELECT id FROM wanted
UNION
SELECT product_id FROM {schema}.related WHERE related_product_id IN (SELECT id FROM wanted WHERE content IS NULL);
ANALYZE touched;
