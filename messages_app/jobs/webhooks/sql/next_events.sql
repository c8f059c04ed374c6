-- The next changes of the history, in its order.
SELECT event_id, msg_id, to_state, at
  FROM message_event
 WHERE event_id > %(read_to)s
   AND event_id <= %(safe_to)s
 ORDER BY event_id
 LIMIT %(most)s
