-- As peer_archive, in the schema of a hub: its archive tables have their columns in another order, and lack
-- one for funnel values, so that procedure 0.6 fails if a message has a value.
CREATE OR REPLACE FUNCTION peer_archive(cutoff timestamp, slice integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  taken integer;
  moved text;
BEGIN
  CREATE TEMP TABLE gone_message ON COMMIT DROP AS
    SELECT * FROM message
     WHERE state IN ('OK', 'FAILED', 'CANCEL') AND last_update_timestamp < cutoff LIMIT slice;
  GET DIAGNOSTICS taken = ROW_COUNT;
  ALTER TABLE gone_message ADD PRIMARY KEY (msg_id);
  CREATE TEMP TABLE gone_request ON COMMIT DROP AS
    SELECT request.* FROM request JOIN gone_message USING (msg_id)
    UNION (SELECT * FROM request WHERE msg_id IS NULL AND req_timestamp < cutoff LIMIT slice);
  ALTER TABLE gone_request ADD PRIMARY KEY (req_id);
  CREATE TEMP TABLE gone_response ON COMMIT DROP AS
    SELECT response.* FROM response JOIN gone_request USING (req_id)
    UNION (SELECT * FROM response WHERE req_id IS NULL AND res_timestamp < cutoff LIMIT slice);
  ALTER TABLE gone_response ADD PRIMARY KEY (res_id);
  CREATE TEMP TABLE gone_external_call ON COMMIT DROP AS
    SELECT external_call.* FROM external_call JOIN gone_message USING (msg_id);
  ALTER TABLE gone_external_call ADD PRIMARY KEY (call_id);
  FOREACH moved IN ARRAY ARRAY['response', 'request', 'external_call', 'message'] LOOP
    EXECUTE (
      SELECT format('INSERT INTO archive_%1$s (%2$s) SELECT %2$s FROM gone_%1$s',
                    moved, string_agg(quote_ident(attname), ', '))
        FROM pg_attribute
       WHERE attrelid = ('archive_' || moved)::regclass AND attnum > 0 AND NOT attisdropped
    );
  END LOOP;
  DELETE FROM response USING gone_response WHERE response.res_id = gone_response.res_id;
  DELETE FROM request USING gone_request WHERE request.req_id = gone_request.req_id;
  DELETE FROM external_call USING gone_external_call WHERE external_call.call_id = gone_external_call.call_id;
  DELETE FROM message USING gone_message WHERE message.msg_id = gone_message.msg_id;
  RETURN taken >= slice;
END $$;
