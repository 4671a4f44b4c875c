-- Loads beside writes: from when on a load was served, so that what was written since is known, and what it lost.

ALTER TABLE catalog_meta.loads
  -- The commit that served it last, and the position of the stock log then.
  ADD COLUMN served_seq bigint,
  ADD COLUMN served_pos bigint,
  ADD COLUMN dropped text; -- writes that were not in it although they were served before it (--drop-writes)
