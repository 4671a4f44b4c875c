-- The ETag of a product after each revision: a patch that comes too late is told what has changed since the one that it names.
ALTER TABLE catalog_log.revisions ADD COLUMN etag text; -- of the public reply, without quotes; null: deleted, or of an earlier release
