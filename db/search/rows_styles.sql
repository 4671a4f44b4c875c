SELECT
  name,
  coalesce(sale_price < original_price, false) AS on_sale,
  string_agg(int4send(product_id), ''::bytea) AS product_ids,
  string_agg(int4send(id), ''::bytea) AS ids
FROM {schema}.styles
WHERE product_id BETWEEN {first} AND {last}
GROUP BY name, on_sale
