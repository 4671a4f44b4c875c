-- The content of a catalog: a line for each served table, with its number of rows and the sum of their hashes (which needs no
-- sort). For psql, in one transaction. It is the same for a snapshot and for a catalog restored from it.
-- The text of a row depends on these settings, and a restored database has no settings. Fingerprints of earlier releases were
-- made with those of the server: psql -v older=yes.
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
