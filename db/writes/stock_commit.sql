-- The last statement of a transaction that applied operations up to $1 and did not reject all: numbers it, so that a cursor is before or after
-- them. $2 are the restocked products, if any; of these, rebuild.sql changed the cards of $3 and the content of $4 (whose rows another release wrote). $5 is `seen` of
-- stock_lock.sql.
SELECT catalog_log.append(
  'stock',
  (SELECT load_id FROM catalog_meta.data_version),
  updated => $4::int[],
  restocked => ARRAY(SELECT unnest($2::int[]) EXCEPT SELECT unnest($4::int[]) ORDER BY 1),
  cards => $3::int[],
  stock_pos => $1::bigint,
  seen => $5::bigint
) AS seq
