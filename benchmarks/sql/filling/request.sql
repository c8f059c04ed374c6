-- Every eighth message has a request.
INSERT INTO request (req_id, msg_id, res_join_id, uri, req_envelope, req_timestamp)
SELECT msg_id + 3, CASE WHEN msg_id / %(ids)s %% 80 <> 0 THEN msg_id END, correlation_id,
       'http://target' || msg_id / %(ids)s %% 6 || '.example/ws', '<req>' || msg_id || '</req>',
       receive_timestamp + interval '300 ms'
  FROM message WHERE msg_id / %(ids)s %% 8 = 0
