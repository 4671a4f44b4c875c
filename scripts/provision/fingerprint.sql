-- What a catalog holds: a line for each table of what is served, with its rows and a sum of their hashes (no order, and
-- no memory for a sort). For psql, in one transaction: it says the same of a snapshot and of what was restored from it.
-- The text of a row depends on these settings, and a restored database has none of its own. Fingerprints of earlier releases were made
-- with those of the server: psql -v older=yes.
\if :{?older}
\else
SET search_path = pg_catalog;
SET DateStyle = 'ISO, YMD';
SET TimeZone = 'UTC';
\endif
SELECT format(
  'SELECT concat_ws('' '', %L, count(*), coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)) FROM catalog.%I AS t',
  table_name, table_name)
FROM information_schema.tables
WHERE table_schema = 'catalog' AND table_type = 'BASE TABLE'
ORDER BY table_name
\gexec
