-- The responses of the archived messages.
INSERT INTO archive_response (res_id, req_id, res_envelope, failed_reason, res_timestamp, failed, msg_id)
SELECT res_id + shift, req_id + shift, res_envelope, failed_reason, res_timestamp - interval '1 year', failed,
       msg_id + shift
  FROM response, (SELECT (%(messages)s + 10)::bigint * %(ids)s AS shift) AS moved
 WHERE res_id / %(ids)s %% 5 = 0
