-- The operations from offset $1 to $2 that changed nothing.
SELECT pos, sku, reason, quantity FROM catalog_log.stock_rejects WHERE pos BETWEEN $1::bigint AND $2::bigint ORDER BY pos
