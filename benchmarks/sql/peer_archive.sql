-- The technique of the hub's own archive procedure 0.6, rewritten from docs/contributing/spec/cleverbus.md,
-- "Archive procedures", "Defects of the archive procedures", with the funnel values that it forgets: one
-- slice of whole rows into temporary tables with a key, freed of doubles by UNION, stored from there, then
-- deleted child first.
CREATE OR REPLACE FUNCTION peer_archive(cutoff timestamptz, slice integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  taken integer;
BEGIN
  CREATE TEMP TABLE gone_message ON COMMIT DROP AS
    SELECT * FROM message
     WHERE state IN ('OK', 'FAILED', 'CANCEL') AND last_process_timestamp < cutoff LIMIT slice;
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
  CREATE TEMP TABLE gone_funnel ON COMMIT DROP AS
    SELECT funnel.* FROM funnel JOIN gone_message USING (msg_id);
  INSERT INTO archive_response TABLE gone_response;
  DELETE FROM response USING gone_response WHERE response.res_id = gone_response.res_id;
  INSERT INTO archive_request TABLE gone_request;
  DELETE FROM request USING gone_request WHERE request.req_id = gone_request.req_id;
  INSERT INTO archive_external_call TABLE gone_external_call;
  DELETE FROM external_call USING gone_external_call WHERE external_call.call_id = gone_external_call.call_id;
  INSERT INTO archive_funnel TABLE gone_funnel;
  DELETE FROM funnel USING gone_funnel WHERE funnel.msg_id = gone_funnel.msg_id;
  INSERT INTO archive_message TABLE gone_message;
  DELETE FROM message USING gone_message WHERE message.msg_id = gone_message.msg_id;
  RETURN taken >= slice;
END $$;
