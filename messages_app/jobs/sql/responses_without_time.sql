-- One row: responses that name no request, no live message and no time, so their age is not known: they stay.
SELECT count(*)
  FROM response
 WHERE req_id IS NULL
   AND res_timestamp IS NULL
   AND (SELECT msg_id FROM message WHERE message.msg_id = response.msg_id) IS NULL
