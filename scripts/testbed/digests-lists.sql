-- Every page of lists of $1 products, by its number and after an id: SHA-256 of its Link header and its body.
WITH numbered AS (
  SELECT id, head, row_number() OVER (ORDER BY id) - 1 AS row FROM catalog.product_documents
), pages AS (
  SELECT row / $1::int + 1 AS page, max(id) AS last_id, string_agg(head || '}', ',' ORDER BY id) AS rows
  FROM numbered
  GROUP BY 1
)
SELECT
  '/products?page=' || page || '&count=' || $1 AS page_path,
  '/products?after=' || lag(last_id) OVER (ORDER BY page) || '&count=' || $1 AS after_path,
  encode(sha256(convert_to(
    CASE WHEN page < max(page) OVER () THEN '<?after=' || last_id || '&count=' || $1 || '>; rel="next", ' ELSE '' END
    || '<?page=1&count=' || $1 || '>; rel="first"' || '[' || rows || ']', 'UTF8')), 'hex') AS list
FROM pages
ORDER BY page
