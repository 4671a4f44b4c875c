-- Lists how the relation `after` differs from `before`, as readers see it; both have the columns of stored.sql but the times. A product that
-- has only other quantities is restocked, not updated.

SELECT *
FROM (
  SELECT
    id,
    CASE
      WHEN before.content IS NULL THEN 'created'
      WHEN after.content IS NULL THEN 'deleted'
      WHEN before.content <> after.content THEN 'updated'
      WHEN before.digest IS DISTINCT FROM after.digest THEN 'restocked'
    END AS kind,
    before.digest IS DISTINCT FROM after.digest AS has_styles,
    after.card_head IS NOT NULL
      AND (before.card_head, before.offer, before.card_fields)
        IS DISTINCT FROM (after.card_head, after.offer, after.card_fields) AS has_card
  FROM (SELECT * FROM before WHERE NOT is_hidden) AS before
  FULL JOIN (SELECT * FROM after WHERE NOT is_hidden) AS after USING (id)
) AS compared
WHERE kind IS NOT NULL OR has_card
