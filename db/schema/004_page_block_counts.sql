-- Keeps page_blocks exact when single products are added or removed. Runs last: the trigger must not count again what
-- ../documents/page_blocks.sql counted. The trigger provides the name of the schema, because a swap renames it.

CREATE FUNCTION {schema}.count_page_block() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  changed_id int := CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END;
  block int;
  block_rows int;
  is_last_product boolean;
BEGIN
  -- Without the lock, a writer that waited for another one could count in a block that the other has just split.
  EXECUTE format('LOCK TABLE %I.page_blocks IN SHARE ROW EXCLUSIVE MODE', TG_TABLE_SCHEMA);
  EXECUTE format(
    'SELECT first_id, rows FROM %I.page_blocks WHERE first_id <= $1 ORDER BY first_id DESC LIMIT 1',
    TG_TABLE_SCHEMA) INTO block, block_rows USING changed_id;
  EXECUTE format('SELECT NOT EXISTS (SELECT FROM %I.product_documents WHERE id > $1)', TG_TABLE_SCHEMA)
    INTO is_last_product USING changed_id;

  IF TG_OP = 'INSERT' AND (block IS NULL OR (block_rows >= 64 AND is_last_product)) THEN
    EXECUTE format('INSERT INTO %I.page_blocks (first_id, rows, load_id) VALUES ($1, 1, $2)', TG_TABLE_SCHEMA)
      USING NEW.id, NEW.load_id;
  ELSE
    EXECUTE format('UPDATE %I.page_blocks SET rows = rows + $2 WHERE first_id = $1', TG_TABLE_SCHEMA)
      USING block, CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER count_page_block AFTER INSERT OR DELETE ON {schema}.product_documents
FOR EACH ROW EXECUTE FUNCTION {schema}.count_page_block();
