-- A line for each price, ascending: the price with two decimals or as many as it needs, and the first place in price_order that has it.
SELECT convert_to(string_agg(round(price, greatest(scale, 2)) || E'\t' || first || E'\n', '' ORDER BY price), 'UTF8')
FROM (
  SELECT price, min_scale(price) AS scale, sum(count(*)) OVER (ORDER BY price) - count(*) AS first
  FROM {cards}
  GROUP BY price
) AS priced
