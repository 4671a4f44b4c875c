-- The styles and skus that writes took out of product $1, the latest last.
SELECT removed FROM catalog_log.revisions WHERE product_id = $1 AND removed IS NOT NULL ORDER BY revision
