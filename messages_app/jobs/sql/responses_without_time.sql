-- One row: the number of responses without a request, a live message and a time. They stay, because their age
-- is not known.
SELECT count(*)
  FROM response
 WHERE req_id IS NULL
   AND res_timestamp IS NULL
   AND (SELECT msg_id FROM message WHERE message.msg_id = response.msg_id) IS NULL
