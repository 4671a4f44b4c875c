-- title: the lists of the search are what db/search makes now
-- cause: cards, sets or lists of the search were changed
SELECT count(*)
FROM {schema}.search_blobs
WHERE body IS DISTINCT FROM CASE name
  WHEN 'ids' THEN ({ids})
  WHEN 'prices' THEN ({prices})
  WHEN 'words' THEN ({words})
  ELSE body
END
