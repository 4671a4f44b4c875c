SELECT name FROM catalog_meta.migrations
