-- archive_records(months) of script 0.4 and OpenHub, with its technique and defects: it copies, keeps rows in temporary
-- tables, truncates, and inserts them again. Of requests it keeps the wrong rows, of responses none, and truncating
-- `message` empties what refers to it.
-- Source: docs/contributing/spec/cleverbus.md, "Archive procedures", "Defects of the archive procedures".
CREATE FUNCTION archive_records(integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  cut_off timestamp := now() - make_interval(months => greatest($1, 2));
  moved text;
BEGIN
  CREATE TEMP TABLE old_message ON COMMIT DROP AS
    SELECT * FROM message WHERE state IN ('OK', 'FAILED', 'CANCEL') AND last_update_timestamp < cut_off;
  CREATE TEMP TABLE old_request ON COMMIT DROP AS
    SELECT * FROM request
     WHERE msg_id IN (SELECT msg_id FROM old_message) OR (msg_id IS NULL AND req_timestamp < cut_off);
  CREATE TEMP TABLE old_response ON COMMIT DROP AS
    SELECT response.* FROM response LEFT JOIN request USING (req_id)
     WHERE request.msg_id IN (SELECT msg_id FROM old_message) OR res_timestamp < cut_off;
  CREATE TEMP TABLE kept_message ON COMMIT DROP AS
    SELECT * FROM message WHERE state NOT IN ('OK', 'FAILED', 'CANCEL') OR last_update_timestamp >= cut_off;
  CREATE TEMP TABLE kept_external_call ON COMMIT DROP AS
    SELECT external_call.* FROM external_call JOIN kept_message USING (msg_id);

  FOREACH moved IN ARRAY ARRAY['message', 'request', 'response'] LOOP
    EXECUTE (
      SELECT format('INSERT INTO %1$I (%2$s) SELECT %2$s FROM %3$I',
                    'archive_' || moved, string_agg(quote_ident(attname), ', '), 'old_' || moved)
        FROM pg_attribute
       WHERE attrelid = ('archive_' || moved)::regclass AND attnum > 0
    );
  END LOOP;
  INSERT INTO archive_external_call
  SELECT external_call.* FROM external_call JOIN old_message USING (msg_id);

  TRUNCATE request CASCADE;
  INSERT INTO request SELECT * FROM old_request;
  TRUNCATE response CASCADE;
  TRUNCATE external_call CASCADE;
  INSERT INTO external_call SELECT * FROM kept_external_call;
  TRUNCATE message CASCADE;
  INSERT INTO message SELECT * FROM kept_message;
END
$$;
