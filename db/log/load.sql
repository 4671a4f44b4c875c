-- How the load in {schema} differs from {served}, for its commit: what `documents` listed, and anew the products that writes have
-- changed since commit $1.

WITH candidate AS (SELECT id FROM {served}.product_state WHERE greatest(product_seq, styles_seq) > $1),
before AS ({before}),
after AS ({after}),
changes AS (
  SELECT id, kind, has_card FROM {schema}.changes WHERE id NOT IN (SELECT id FROM candidate)
  UNION ALL
  SELECT id, kind, has_card FROM ({changes}) AS written
),
{lists}
