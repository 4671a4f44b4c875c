-- After the commit of a load or an unswap: what is served now may have been written. Then readers must know, as its search and stored
-- replies may be older than that.
UPDATE catalog_log.head SET listed_seq = seq, is_written = true WHERE EXISTS (SELECT FROM {served}.product_state)
