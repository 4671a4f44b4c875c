-- `prepare` refuses a migration whose file was edited after it was applied here: two databases would differ under one name.
ALTER TABLE catalog_meta.migrations ADD COLUMN digest text; -- SHA-256 of the file
