-- As peer_archive, but the temporary tables have only ids, so that no document is written to them.
CREATE OR REPLACE FUNCTION peer_archive(cutoff timestamptz, slice integer) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  taken integer;
BEGIN
  CREATE TEMP TABLE gone_message ON COMMIT DROP AS
    SELECT msg_id FROM message
     WHERE state IN ('OK', 'FAILED', 'CANCEL') AND last_process_timestamp < cutoff LIMIT slice;
  GET DIAGNOSTICS taken = ROW_COUNT;
  CREATE TEMP TABLE gone_request ON COMMIT DROP AS
    SELECT req_id FROM request WHERE msg_id IN (SELECT msg_id FROM gone_message)
    UNION (SELECT req_id FROM request WHERE msg_id IS NULL AND req_timestamp < cutoff LIMIT slice);
  CREATE TEMP TABLE gone_response ON COMMIT DROP AS
    SELECT res_id FROM response WHERE req_id IN (SELECT req_id FROM gone_request)
    UNION (SELECT res_id FROM response WHERE req_id IS NULL AND res_timestamp < cutoff LIMIT slice);
  INSERT INTO archive_response SELECT * FROM response WHERE res_id IN (SELECT res_id FROM gone_response);
  DELETE FROM response WHERE res_id IN (SELECT res_id FROM gone_response);
  INSERT INTO archive_request SELECT * FROM request WHERE req_id IN (SELECT req_id FROM gone_request);
  DELETE FROM request WHERE req_id IN (SELECT req_id FROM gone_request);
  INSERT INTO archive_external_call
    SELECT * FROM external_call WHERE msg_id IN (SELECT msg_id FROM gone_message);
  DELETE FROM external_call WHERE msg_id IN (SELECT msg_id FROM gone_message);
  INSERT INTO archive_funnel SELECT * FROM funnel WHERE msg_id IN (SELECT msg_id FROM gone_message);
  DELETE FROM funnel WHERE msg_id IN (SELECT msg_id FROM gone_message);
  INSERT INTO archive_message SELECT * FROM message WHERE msg_id IN (SELECT msg_id FROM gone_message);
  DELETE FROM message WHERE msg_id IN (SELECT msg_id FROM gone_message);
  RETURN taken >= slice;
END $$;
