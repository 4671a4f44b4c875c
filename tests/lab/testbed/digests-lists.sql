-- Every list of $1 products, by the number of its page and after an id: the SHA-256 of its Link header and its body.
WITH pages AS (
  SELECT row / $1::int + 1 AS page, max(id) AS last_id,
    '[' || string_agg(head || coalesce(',"fields":' || fields, '') || '}', ',' ORDER BY id) || ']' AS body
  FROM (SELECT id, head, fields, row_number() OVER (ORDER BY id) - 1 AS row FROM catalog.product_documents) AS numbered
  GROUP BY 1
), lists AS (
  SELECT page, body, lag(last_id) OVER (ORDER BY page) AS after_id,
    CASE WHEN page < max(page) OVER () THEN '<?after=' || last_id || '&count=' || $1 || '>; rel="next", ' ELSE '' END
      || '<?page=1&count=' || $1 || '>; rel="first"' AS link,
    CASE WHEN page > 1 THEN ', <?page=' || page - 1 || '&count=' || $1 || '>; rel="prev"' ELSE '' END AS prev,
    ', <?page=' || max(page) OVER () || '&count=' || $1 || '>; rel="last"' AS last
  FROM pages
)
SELECT '/products?' || place || '&count=' || $1 AS path,
  encode(sha256(convert_to(link || way.prev || last || body, 'UTF8')), 'hex') AS digest
FROM lists, LATERAL (VALUES ('page=' || page, prev), ('after=' || after_id, '')) AS way (place, prev)
WHERE place IS NOT NULL -- the first page is after no id
ORDER BY page
