-- Notes the answer $3 to the test of hook $1 that was asked for at $2, and only to that.
UPDATE catalog_meta.hooks
SET test_answer = $3, test_asked_at = NULL
WHERE id = $1 AND extract(epoch FROM test_asked_at)::text = $2
