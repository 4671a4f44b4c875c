-- A line for each word that texts mostly write otherwise than folded, by bytes: the word, and how they write it.
SELECT convert_to(coalesce(string_agg(word || E'\t' || written || E'\n', '' ORDER BY word), ''), 'UTF8')
FROM (
  SELECT DISTINCT ON (word) word, written
  FROM (SELECT word, written, sum(rows) AS rows FROM {schema}.search_spellings GROUP BY 1, 2) AS counted
  ORDER BY word, rows DESC, written
) AS most
WHERE written <> word
