-- Wide text reads 1.7 times faster as lz4, where the server was built with it; the embedded one was not.
DO $$
DECLARE
  wide record;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_settings
                  WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
    RETURN;
  END IF;
  FOR wide IN
    SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = current_schema() AND data_type = 'text'
       AND table_name IN ('message', 'request', 'response',
                          'archive_message', 'archive_request', 'archive_response')
  LOOP
    EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET COMPRESSION lz4', wide.table_name, wide.column_name);
  END LOOP;
END $$;
