-- The requests of the archived messages.
INSERT INTO archive_request (req_id, msg_id, res_join_id, uri, req_envelope, req_timestamp)
SELECT req_id + shift, msg_id + shift, res_join_id || 'a', uri, req_envelope, req_timestamp - interval '1 year'
  FROM request, (SELECT (%(messages)s + 10)::bigint * %(ids)s AS shift) AS moved
 WHERE req_id / %(ids)s %% 5 = 0
