-- Each commit has the position of the stock log when it was made, not only one of stock. So an operation is before a commit or after it, even
-- if it changed nothing.
CREATE FUNCTION catalog_log.add_stock_pos() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  NEW.stock_pos := coalesce(NEW.stock_pos, (SELECT pos FROM catalog_log.stock_applied));
  RETURN NEW;
END
$$;
CREATE TRIGGER add_stock_pos BEFORE INSERT ON catalog_log.commits
FOR EACH ROW EXECUTE FUNCTION catalog_log.add_stock_pos();
