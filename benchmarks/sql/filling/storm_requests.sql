-- The requests without an answer of the messages whose texts name no system.
INSERT INTO request (req_id, msg_id, res_join_id, uri, req_envelope, req_timestamp)
SELECT msg_id, msg_id, 'join-' || msg_id, 'https://bank' || msg_id / 10 %% 6 || '.example/api/' || msg_id, '<a/>',
       receive_timestamp
  FROM message
 WHERE msg_id / 10 %% 4 IN (1, 3)
