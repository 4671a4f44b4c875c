-- Styles of a product that may have been written since the load: the stored reply, or one made from the rows while that is stale
-- (product_state, in db/schema/007_served.sql).
SELECT CASE WHEN state.styles_seq > state.built_seq THEN catalog.live_styles(document.id) ELSE document.body END
FROM catalog.styles_documents AS document
LEFT JOIN catalog.product_state AS state USING (id)
WHERE document.id = $1
