-- The tuning of searches; all null before the first one. Fields are binary, and text is then its bytes.
SELECT
  last.number::text,
  last.content::text,
  last.ranked
FROM (SELECT max(number) AS number FROM catalog_meta.tuning) AS newest
LEFT JOIN catalog_meta.tuning AS last USING (number)
