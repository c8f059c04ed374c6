-- The ids of messages to compare, each with the name of its reading, by primary keys: messages after the highest known
-- one, the last ones before it, messages of transactions that may have committed late, messages that can still change, and
-- the next part of all messages in the hub and in the console.
(SELECT 'new', msg_id FROM message WHERE msg_id > %(front)s ORDER BY msg_id LIMIT %(most)s)
UNION ALL
(SELECT 'recent', msg_id FROM message WHERE msg_id <= %(front)s ORDER BY msg_id DESC LIMIT %(recent)s)
UNION ALL
(SELECT 'late', msg_id FROM message
  WHERE msg_id > %(safe)s AND msg_id <= %(late_until)s ORDER BY msg_id LIMIT %(most)s)
UNION ALL
(SELECT 'open', msg_id FROM polled_message
  WHERE state NOT IN ('CANCEL', 'OK') AND msg_id >= %(watch_from)s ORDER BY msg_id LIMIT %(open)s)
UNION ALL
(SELECT 'sweep', msg_id FROM message WHERE msg_id >= %(sweep_from)s ORDER BY msg_id LIMIT %(sweep)s)
UNION ALL
(SELECT 'known', msg_id FROM polled_message WHERE msg_id >= %(sweep_from)s ORDER BY msg_id LIMIT %(sweep)s)
