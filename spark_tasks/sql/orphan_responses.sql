-- One row per response received in [start, end) that names no request, and no message that is still live:
-- with its message live it belongs to that message. Served by response_orphan_age_idx.
SELECT res_id
  FROM response
 WHERE req_id IS NULL
   AND res_timestamp >= %(start)s
   AND res_timestamp < %(end)s
   AND (SELECT msg_id FROM message WHERE message.msg_id = response.msg_id) IS NULL
