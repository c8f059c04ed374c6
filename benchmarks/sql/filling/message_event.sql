-- Every tenth message has a history of two changes.
INSERT INTO message_event (msg_id, from_state, to_state, actor, at)
SELECT msg_id, change.before, change.after, NULL, receive_timestamp + change.later
  FROM message, (VALUES ('NEW', 'PROCESSING', interval '100 ms'), ('PROCESSING', 'OK', interval '2 s'))
       AS change (before, after, later)
 WHERE msg_id / %(ids)s %% 10 = 0 AND state = 'OK'
