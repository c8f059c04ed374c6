-- One response a request.
INSERT INTO response (res_id, req_id, res_envelope, res_timestamp, failed, msg_id)
SELECT msg_id + 4, msg_id + 3, '<Envelope><Header><id>' || correlation_id || '</id></Header><Body><answer>'
       || right(payload, 100 + (length(payload) * 0.35)::int) || '</answer></Body></Envelope>',
       receive_timestamp + interval '800 ms', false, msg_id
  FROM message WHERE msg_id > %(after)s
