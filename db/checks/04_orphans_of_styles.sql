-- title: every row's style is there
-- hint: a style was deleted without its rows; delete these too, or run `load` on the files again
SELECT
  (SELECT count(*) FROM {schema}.photos WHERE NOT EXISTS
    (SELECT FROM {schema}.styles WHERE styles.id = photos.style_id))
  + (SELECT count(*) FROM {schema}.skus WHERE NOT EXISTS
    (SELECT FROM {schema}.styles WHERE styles.id = skus.style_id))
