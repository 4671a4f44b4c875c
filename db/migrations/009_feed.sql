-- What the feed of changes needs: who made the changes of a commit, and an end of what is kept.

CREATE INDEX revisions_by_seq ON catalog_log.revisions (seq);

-- Deletes some of the commits that are older than 7 days, never the last one, with the operations of stock that they applied. Returns
-- how many rows; 0: nothing is left to delete. A function, since the writer may delete nothing else of the log.
CREATE FUNCTION catalog_log.forget() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  old record;
  forgotten bigint;
BEGIN
  SELECT max(seq) AS seq, max(stock_pos) AS pos INTO old
  FROM (
    SELECT seq, stock_pos
    FROM catalog_log.commits
    WHERE at < clock_timestamp() - interval '7 days' AND seq < (SELECT head.seq FROM catalog_log.head)
    ORDER BY seq
    LIMIT 200
  ) AS piece;
  DELETE FROM catalog_log.stock_log
  WHERE pos IN (SELECT pos FROM catalog_log.stock_log WHERE pos <= old.pos ORDER BY pos LIMIT 5000);
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  IF forgotten = 0 THEN -- a load that replays the log from a commit finds the operations of all later ones
    DELETE FROM catalog_log.stock_rejects WHERE pos <= old.pos;
    DELETE FROM catalog_log.commits WHERE seq <= old.seq;
    GET DIAGNOSTICS forgotten = ROW_COUNT;
  END IF;
  RETURN forgotten;
END
$$;
REVOKE ALL ON FUNCTION catalog_log.forget FROM PUBLIC;
GRANT EXECUTE ON FUNCTION catalog_log.forget TO catalog_writer;

-- After a promotion or a restore, numbers of lost commits are given again. So cursors get another era, and cache keys another data
-- version, in one transaction. An era is also a time, in seconds since 2020: it is above that of a database which a restore replaces, even if
-- that one is lost.
CREATE FUNCTION catalog_log.begin_era() RETURNS int
LANGUAGE sql SET search_path = pg_catalog AS $$
  SELECT catalog_meta.bump_version() FROM catalog_meta.data_version WHERE version > 0; -- an empty catalog keeps version 0
  UPDATE catalog_log.head
  SET era = greatest(era + 1, extract(epoch FROM clock_timestamp() - timestamptz '2020-01-01 00:00+00')::int)
  RETURNING era;
$$;
REVOKE ALL ON FUNCTION catalog_log.begin_era FROM PUBLIC;
