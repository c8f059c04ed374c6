-- One request a message.
INSERT INTO request (req_id, msg_id, res_join_id, uri, req_envelope, req_timestamp)
SELECT msg_id + 3, msg_id, correlation_id, 'http://target' || msg_id / %(ids)s %% 6 || '.example/ws',
       '<Envelope><Header><id>' || correlation_id || '</id></Header><Body>'
       || left(payload, 200 + (length(payload) * 0.7)::int) || '</Body></Envelope>',
       receive_timestamp + interval '300 ms'
  FROM message WHERE msg_id > %(after)s
