-- One row per response of the given ids that still names no request and no live message.
SELECT res_id
  FROM response
 WHERE res_id = ANY (%(ids)s)
   AND req_id IS NULL
   AND res_timestamp < %(cutoff)s
   AND (SELECT msg_id FROM message WHERE message.msg_id = response.msg_id) IS NULL
 ORDER BY res_id
   FOR UPDATE SKIP LOCKED
