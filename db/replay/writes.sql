-- Begins a replay onto load {load_id} in {schema}, in a transaction that sees one state: finds the writes, and what they make of the products.

-- The commits to replay: those that {served} has and the files lack. {served} has those of its own load, and those before it that were replayed
-- onto that or in its files. A write that was dropped by a load or an unswap stays dropped. `after` is a commit and its last change that is not
-- replayed; `rest` are the products of the changes after that, of a commit that is replayed in part.
CREATE TEMP TABLE log ON COMMIT DROP AS
WITH RECURSIVE known AS (
  SELECT *, ARRAY[as_of, coalesce(as_of_index, 2147483646)] AS place FROM catalog_meta.loads
),
served AS (
  SELECT live.id AS load_id, CASE WHEN load.replayed_seq IS NULL THEN load.place ELSE ARRAY[load.replayed_seq, 2147483646] END AS after, head.seq AS until
  FROM catalog_log.head
  JOIN known AS load ON load.id = {load_id}
  JOIN catalog_meta.loads AS live ON live.state = 'live'
  UNION ALL
  SELECT load.replayed_from, served.after, load.replayed_seq
  FROM served
  JOIN known AS load ON load.id = served.load_id
  WHERE load.as_of IS NOT NULL
)
SELECT
  commits.seq,
  (created || updated || deleted)[read + 1:] AS products,
  CASE WHEN read > 0 THEN (created || updated || deleted || restocked)[read + 1:] END AS rest,
  coalesce(
    (SELECT stock_pos FROM catalog_log.commits AS earlier WHERE seq < commits.seq AND stock_pos IS NOT NULL ORDER BY seq DESC LIMIT 1), 0
  ) AS after_pos,
  stock_pos,
  commits.load_id
FROM catalog_log.commits
JOIN served ON served.load_id = commits.load_id AND commits.seq >= after[1] AND commits.seq <= until
CROSS JOIN LATERAL (SELECT CASE WHEN commits.seq = after[1] THEN after[2]::int + 1 ELSE 0 END AS read) AS first
WHERE kind IN ('content', 'stock') AND (read = 0 OR read < cardinality(created || updated || deleted || restocked))
UNION ALL
-- Operations since the last commit: a writer of an earlier release makes none for those that change nothing.
SELECT
  head.seq + 1,
  '{}',
  NULL,
  greatest(
    (SELECT stock_pos FROM catalog_log.commits WHERE stock_pos IS NOT NULL ORDER BY seq DESC LIMIT 1),
    (SELECT served_pos FROM catalog_meta.loads WHERE state = 'live')
  ),
  applied.pos,
  NULL
FROM catalog_log.head
CROSS JOIN catalog_log.stock_applied AS applied;
ANALYZE log;

-- The revisions, each with the one before it: a write's change is between these two, whatever a load changed earlier.
CREATE TEMP TABLE revised ON COMMIT DROP AS
SELECT
  write.product_id,
  write.revision,
  write.seq,
  log.load_id,
  earlier.content AS before,
  write.content AS after,
  first_value(write.content) OVER (PARTITION BY write.product_id ORDER BY write.revision DESC) IS NULL AS is_deleted
FROM log
CROSS JOIN LATERAL unnest(products) AS product (id)
JOIN catalog_log.revisions AS write ON write.product_id = product.id AND write.seq = log.seq
LEFT JOIN catalog_log.revisions AS earlier ON earlier.product_id = write.product_id AND earlier.revision = write.revision - 1;
-- A product that the API has named while the files were read is not the one that they have under its id.
INSERT INTO catalog_meta.rejected_writes (load_id, seq, product_id, path, reason)
SELECT {load_id}, seq, product_id, '', 'taken'
FROM revised
JOIN catalog_meta.loads ON loads.id = {load_id} AND seq > began_seq
JOIN {schema}.products ON products.id = product_id
WHERE revision = 1 AND product_id > 1500000000;
DELETE FROM revised
WHERE product_id IN (SELECT product_id FROM catalog_meta.rejected_writes WHERE load_id = {load_id} AND reason = 'taken' AND path = '');

-- The fields that load {load_id} declares with the type that a write's own load gave them, by that load. Without fields there is no row.
CREATE TEMP TABLE shared ON COMMIT DROP AS
SELECT
  load_id,
  array_agg(name) FILTER (WHERE kind = 'products' AND name IS NOT NULL) AS products,
  array_agg(name) FILTER (WHERE kind = 'styles' AND name IS NOT NULL) AS styles,
  array_agg(name) FILTER (WHERE kind = 'skus' AND name IS NOT NULL) AS skus
FROM (SELECT DISTINCT load_id FROM revised) AS write
CROSS JOIN unnest(ARRAY['products', 'styles', 'skus']) AS kind
LEFT JOIN LATERAL (
  SELECT own.key AS name
  FROM catalog_meta.declarations AS ours
  CROSS JOIN json_each(ours.content -> kind) AS own
  JOIN catalog_meta.declarations AS theirs ON theirs.load_id = write.load_id
  WHERE ours.load_id = {load_id} AND theirs.content -> kind -> own.key ->> 'type' = own.value ->> 'type'
) AS field ON true
WHERE EXISTS (SELECT FROM catalog_meta.declarations WHERE declarations.load_id IN (write.load_id, {load_id}))
GROUP BY load_id;

INSERT INTO catalog_meta.rejected_writes (load_id, seq, product_id, path, reason)
SELECT {load_id}, seq, product_id, new.path, 'unknown-field'
FROM revised
JOIN shared USING (load_id)
CROSS JOIN LATERAL catalog_log.fields_in(after) AS new
LEFT JOIN LATERAL catalog_log.fields_in(before) AS old ON old.path = new.path
WHERE NOT is_deleted AND new.value IS DISTINCT FROM old.value
  AND new.name <> ALL (coalesce(CASE new.kind WHEN 'products' THEN products WHEN 'styles' THEN styles ELSE skus END, '{}'));
UPDATE revised
SET
  before = catalog_log.with_fields(before, products, styles, skus),
  after = catalog_log.with_fields(after, products, styles, skus)
FROM shared
WHERE shared.load_id = revised.load_id;
ANALYZE revised;

CREATE TEMP TABLE folded ON COMMIT DROP AS
SELECT
  revised.*,
  loaded.content AS ours,
  catalog_log.replayed(loaded.content, before, after) OVER (PARTITION BY product_id ORDER BY revision) AS state
FROM revised
LEFT JOIN (
  SELECT id, CASE WHEN is_declared THEN catalog_log.with_fields(content, products, styles, skus) ELSE content END AS content
  FROM ({content}) AS own
  CROSS JOIN (
    SELECT
      EXISTS (SELECT FROM catalog_meta.declarations WHERE load_id = {load_id}) AS is_declared,
      catalog_meta.declared_names({load_id}, 'products') AS products,
      catalog_meta.declared_names({load_id}, 'styles') AS styles,
      catalog_meta.declared_names({load_id}, 'skus') AS skus
  ) AS declared
) AS loaded ON loaded.id = product_id;

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
