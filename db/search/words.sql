-- A line for each word, by bytes: the word, and in how many products the name has it, what names the product, any text.
SELECT convert_to(coalesce(string_agg(word || E'\t' || n || E'\t' || m || E'\t' || a || E'\n', '' ORDER BY word), ''), 'UTF8')
FROM (
  SELECT
    substr(key, 3) AS word,
    coalesce(sum(rows) FILTER (WHERE key LIKE 'n:%'), 0) AS n,
    coalesce(sum(rows) FILTER (WHERE key LIKE 'm:%'), 0) AS m,
    sum(rows) FILTER (WHERE key LIKE 'a:%') AS a
  FROM {schema}.search_sets
  WHERE left(key, 2) IN ('n:', 'm:', 'a:')
  GROUP BY 1
) AS counted
