-- The changes of states whose messages may have other calls now, each with the name of its reading, by primary keys.
(SELECT 'new' AS reading, event_id AS id, msg_id
   FROM message_event WHERE event_id > %(front)s ORDER BY event_id LIMIT %(most)s)
UNION ALL
(SELECT 'recent', event_id, msg_id
   FROM message_event WHERE event_id <= %(front)s AND event_id > %(safe)s ORDER BY event_id DESC LIMIT %(recent)s)
UNION ALL
(SELECT 'late', event_id, msg_id
   FROM message_event WHERE event_id > %(safe)s AND event_id <= %(late_until)s ORDER BY event_id LIMIT %(most)s)
