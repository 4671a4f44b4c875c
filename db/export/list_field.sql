-- Not a query: the value of a list in an exported file, its texts with the separator between.
(
  SELECT string_agg(part.value, {separator} ORDER BY part.place)
  FROM json_array_elements_text(fields -> {field}) WITH ORDINALITY AS part (value, place)
)
