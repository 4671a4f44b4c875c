-- Texts that a reader of a database finds (psql: \d+). Tables of a load have theirs in schema/*.sql.

COMMENT ON TABLE catalog_log.head IS 'The last commit, in one row';
COMMENT ON COLUMN catalog_log.head.only_row IS 'True: the table has one row';
COMMENT ON COLUMN catalog_log.head.era IS 'Grows with a promotion or a restore, after which numbers may repeat';
COMMENT ON COLUMN catalog_log.head.seq IS 'Number of the last commit; numbers have the order of commits and no gap';
COMMENT ON COLUMN catalog_log.head.listed_seq IS 'Last commit since the load that changed what lists show; 0: none';
COMMENT ON COLUMN catalog_log.head.counted_seq IS 'Last commit since the load that created or deleted products; 0: none';
COMMENT ON COLUMN catalog_log.head.is_written IS 'True: written since the load';
COMMENT ON COLUMN catalog_log.head.at IS 'Time of the last commit; grows even if the clock was set back';
COMMENT ON COLUMN catalog_log.head.server IS 'Server that had the last commit: its start, and its file of this table';
COMMENT ON COLUMN catalog_log.head.origin IS 'Cluster, database and table: others were made by a restore';
COMMENT ON COLUMN catalog_log.head.written_by IS 'Transaction of the last update; the row of a restore has another';

COMMENT ON TABLE catalog_log.commits IS 'The log: a row a transaction that changed the catalog, with the products that it changed';
COMMENT ON COLUMN catalog_log.commits.seq IS 'Number of the commit';
COMMENT ON COLUMN catalog_log.commits.at IS 'When it was made';
COMMENT ON COLUMN catalog_log.commits.kind IS 'load, unswap, content or stock';
COMMENT ON COLUMN catalog_log.commits.load_id IS 'The load that is served after it';
COMMENT ON COLUMN catalog_log.commits.is_whole IS 'True: a load that may have changed any product, without lists';
COMMENT ON COLUMN catalog_log.commits.created IS 'Products that it created';
COMMENT ON COLUMN catalog_log.commits.updated IS 'Products that it changed in more than quantities';
COMMENT ON COLUMN catalog_log.commits.deleted IS 'Products that it deleted';
COMMENT ON COLUMN catalog_log.commits.restocked IS 'Products that it changed only in quantities';
COMMENT ON COLUMN catalog_log.commits.cards IS 'All these whose card it changed';
COMMENT ON COLUMN catalog_log.commits.stock_pos IS 'Position of the stock log up to which operations are applied';

COMMENT ON TABLE catalog_log.revisions IS 'A product after each write, and before its first one; rows never change';
COMMENT ON COLUMN catalog_log.revisions.product_id IS 'Number of the product';
COMMENT ON COLUMN catalog_log.revisions.revision IS 'Number of the revision, from 1';
COMMENT ON COLUMN catalog_log.revisions.seq IS 'Its commit; null: content of a load, stored with the first write after it';
COMMENT ON COLUMN catalog_log.revisions.at IS 'When it was made';
COMMENT ON COLUMN catalog_log.revisions.load_id IS 'The load that was served';
COMMENT ON COLUMN catalog_log.revisions.kind IS 'load, create, update, delete or rollback';
COMMENT ON COLUMN catalog_log.revisions.actor IS 'Name of the API key';
COMMENT ON COLUMN catalog_log.revisions.on_behalf IS 'A person behind the key, as the client says';
COMMENT ON COLUMN catalog_log.revisions.reason IS 'Reason that the client gives';
COMMENT ON COLUMN catalog_log.revisions.request_id IS 'Id of the request, as in logs';
COMMENT ON COLUMN catalog_log.revisions.content IS 'The product; null: deleted';
COMMENT ON COLUMN catalog_log.revisions.paths IS 'JSON pointers to the differences from the revision before';
COMMENT ON COLUMN catalog_log.revisions.removed IS 'What a later write may bring back: {"styles": [ID], "skus": {"ID": QUANTITY}}';
COMMENT ON COLUMN catalog_log.revisions.etag IS 'ETag of the public reply, without quotes; null: deleted, or made by an earlier release';

COMMENT ON TABLE catalog_log.requests IS 'Replies to requests with an Idempotency-Key: a repeat within 48 hours gets the same';
COMMENT ON COLUMN catalog_log.requests.digest IS 'Hash of API key and Idempotency-Key';
COMMENT ON COLUMN catalog_log.requests.fingerprint IS 'Hash of method, path and body';
COMMENT ON COLUMN catalog_log.requests.at IS 'When it was made, to the minute';
COMMENT ON COLUMN catalog_log.requests.position IS 'Position in the stock log, which has the rest of the reply';
COMMENT ON COLUMN catalog_log.requests.status IS 'Status; null: a write of stock, as the next two';
COMMENT ON COLUMN catalog_log.requests.headers IS 'Headers of the reply';
COMMENT ON COLUMN catalog_log.requests.body IS 'Body of the reply';

COMMENT ON TABLE catalog_log.stock_head IS 'The last logged operation of stock, in one row';
COMMENT ON COLUMN catalog_log.stock_head.only_row IS 'True: the table has one row';
COMMENT ON COLUMN catalog_log.stock_head.pos IS 'Its position; positions have the order of commits and no gap';

COMMENT ON TABLE catalog_log.stock_log IS 'Operations of stock: a row a group of requests, with an operation at each place of its arrays';
COMMENT ON COLUMN catalog_log.stock_log.pos IS 'Position of its last operation; the others come right before it';
COMMENT ON COLUMN catalog_log.stock_log.at IS 'When it was logged';
COMMENT ON COLUMN catalog_log.stock_log.skus IS 'Sku of each';
COMMENT ON COLUMN catalog_log.stock_log.amounts IS 'New quantity of each, or what is added';
COMMENT ON COLUMN catalog_log.stock_log.adjusts IS 'True: the amount is added';
COMMENT ON COLUMN catalog_log.stock_log.expected IS 'Quantity without which it is refused; null: any';
COMMENT ON COLUMN catalog_log.stock_log.requests IS 'Number of operations of each request';
COMMENT ON COLUMN catalog_log.stock_log.actors IS 'Name of the API key of each request';

COMMENT ON TABLE catalog_log.stock_applied IS 'The last applied operation of stock, in one row';
COMMENT ON COLUMN catalog_log.stock_applied.only_row IS 'True: the table has one row';
COMMENT ON COLUMN catalog_log.stock_applied.pos IS 'Its position';

COMMENT ON TABLE catalog_log.stock_rejects IS 'Operations of stock that changed nothing';
COMMENT ON COLUMN catalog_log.stock_rejects.pos IS 'Position in the stock log';
COMMENT ON COLUMN catalog_log.stock_rejects.sku IS 'Number of the sku';
COMMENT ON COLUMN catalog_log.stock_rejects.reason IS 'unknown-sku, not-as-expected or out-of-range';
COMMENT ON COLUMN catalog_log.stock_rejects.quantity IS 'Quantity that was shown then; null: the sku is unknown';

COMMENT ON TABLE catalog_meta.data_version IS 'The version of what is served, in one row: cache keys have it';
COMMENT ON COLUMN catalog_meta.data_version.only_row IS 'True: the table has one row';
COMMENT ON COLUMN catalog_meta.data_version.version IS 'Grows with each load, unswap and restore; 0: nothing was loaded';
COMMENT ON COLUMN catalog_meta.data_version.load_id IS 'The load that is served';
COMMENT ON COLUMN catalog_meta.data_version.changed_at IS 'When it changed last; grows even if the clock was set back';

COMMENT ON TABLE catalog_meta.loads IS 'Loads of the six files';
COMMENT ON COLUMN catalog_meta.loads.id IS 'Number of the load';
COMMENT ON COLUMN catalog_meta.loads.state IS 'running, failed, abandoned, live (served), previous (for unswap) or replaced';
COMMENT ON COLUMN catalog_meta.loads.campus IS 'Campus of its products';

COMMENT ON TABLE catalog_meta.declarations IS 'Fields that loads declare; a load without fields has no row';
COMMENT ON COLUMN catalog_meta.declarations.load_id IS 'Number of the load';
COMMENT ON COLUMN catalog_meta.declarations.content IS 'fields.json with all members of each field';

COMMENT ON TABLE catalog_meta.tuning IS 'How searches are tuned: the last row counts, the one before is for tune --undo';
COMMENT ON COLUMN catalog_meta.tuning.number IS 'Milliseconds since 2020, never given twice';
COMMENT ON COLUMN catalog_meta.tuning.made_at IS 'When it was made';
COMMENT ON COLUMN catalog_meta.tuning.content IS 'The file tuning.json; {}: none';
COMMENT ON COLUMN catalog_meta.tuning.ranked IS 'Ids of its rank as int4, the best first; null: it has none';

COMMENT ON TABLE catalog_meta.hidden_products IS 'Products that were ever hidden; no load replaces a row';
COMMENT ON COLUMN catalog_meta.hidden_products.id IS 'Number of the product, which may be unknown';
COMMENT ON COLUMN catalog_meta.hidden_products.is_hidden IS 'True: readers do not find it';
COMMENT ON COLUMN catalog_meta.hidden_products.hides_at IS 'When it will be hidden; null: never';
COMMENT ON COLUMN catalog_meta.hidden_products.shows_at IS 'When it will be published; null: never';
COMMENT ON COLUMN catalog_meta.hidden_products.asked IS 'Who asked last, why and when';

COMMENT ON TABLE catalog_meta.api_keys IS 'Keys of the writer, ck_ID_SECRET';
COMMENT ON COLUMN catalog_meta.api_keys.id IS 'ID of the key';
COMMENT ON COLUMN catalog_meta.api_keys.name IS 'Actor in revisions, never given again';
COMMENT ON COLUMN catalog_meta.api_keys.secret_hash IS 'SHA-256 of its secret, which is stored nowhere';
COMMENT ON COLUMN catalog_meta.api_keys.scopes IS 'Rights: content, stock, history, changes';
COMMENT ON COLUMN catalog_meta.api_keys.created_at IS 'When it was made';
COMMENT ON COLUMN catalog_meta.api_keys.revoked_at IS 'When it was revoked; null: it is valid';

COMMENT ON TABLE catalog_meta.hooks IS 'Webhooks: a place in the feed of changes each, and the result of the last request';
COMMENT ON COLUMN catalog_meta.hooks.id IS 'Number of the hook';
COMMENT ON COLUMN catalog_meta.hooks.url IS 'Address that gets the changes';
COMMENT ON COLUMN catalog_meta.hooks.types IS 'Kinds of changes, or product.*; {}: all';
COMMENT ON COLUMN catalog_meta.hooks.allow_private IS 'True: private networks and http are allowed';
COMMENT ON COLUMN catalog_meta.hooks.created_at IS 'When it was made';
COMMENT ON COLUMN catalog_meta.hooks.cursor IS 'Cursor after the last change that was received';
COMMENT ON COLUMN catalog_meta.hooks.bound IS 'Last commit at the first try of the current request: a repeat has the same changes; null: there is none';
COMMENT ON COLUMN catalog_meta.hooks.begun_at IS 'That first try';
COMMENT ON COLUMN catalog_meta.hooks.failures IS 'Failed requests in a row';
COMMENT ON COLUMN catalog_meta.hooks.failing_since IS 'Their first; null: none';
COMMENT ON COLUMN catalog_meta.hooks.next_at IS 'Next request at the earliest';
COMMENT ON COLUMN catalog_meta.hooks.answer IS 'Answer to the last request';
COMMENT ON COLUMN catalog_meta.hooks.answered_at IS 'When that came';
COMMENT ON COLUMN catalog_meta.hooks.paused IS 'operator, failing or cursor-expired; null: it is not paused';
COMMENT ON COLUMN catalog_meta.hooks.test_asked_at IS 'When a test was asked for';
COMMENT ON COLUMN catalog_meta.hooks.test_answer IS 'Answer to the test; null: it was not sent';

COMMENT ON TABLE catalog_meta.hook_secrets IS 'Secrets that sign requests of hooks';
COMMENT ON COLUMN catalog_meta.hook_secrets.hook_id IS 'Its hook';
COMMENT ON COLUMN catalog_meta.hook_secrets.secret IS 'whsec_ and base64, read by the writer alone';
COMMENT ON COLUMN catalog_meta.hook_secrets.until IS 'End of its overlap with the next one; null: the current one';

COMMENT ON TABLE catalog_meta.migrations IS 'Files of db/migrations that were applied here';
COMMENT ON COLUMN catalog_meta.migrations.name IS 'Name of the file';
COMMENT ON COLUMN catalog_meta.migrations.applied_at IS 'When it was applied';
COMMENT ON COLUMN catalog_meta.migrations.digest IS 'SHA-256 of the file: an edited one is refused';
