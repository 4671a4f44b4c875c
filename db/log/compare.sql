-- Lists anew how the products of the load in {schema} differ from {served} that were written since load $1 was compared with that, in either.

WITH candidate AS (
  SELECT id
  FROM {served}.product_state
  WHERE greatest(product_seq, styles_seq) > (SELECT compared_seq FROM catalog_meta.loads WHERE id = $1)
  UNION
  SELECT id FROM {schema}.product_state WHERE product_seq > (SELECT compared_seq FROM catalog_meta.loads WHERE id = $1)
),
before AS ({before}),
after AS ({after}),
compared AS MATERIALIZED ({changes}),
old AS (DELETE FROM {schema}.changes USING candidate WHERE changes.id = candidate.id)
INSERT INTO {schema}.changes (id, kind, has_styles, has_card) SELECT * FROM compared
