-- The time is that of the hub's last change, if it is later than the previous entry.
INSERT INTO message_event (msg_id, from_state, to_state, actor, at)
SELECT message.msg_id, last.to_state, message.state, %(actor)s,
       CASE WHEN message.last_process_timestamp BETWEEN last.at AND clock_timestamp()
            THEN message.last_process_timestamp ELSE clock_timestamp() END
  FROM message
 CROSS JOIN LATERAL (SELECT to_state, at
                       FROM message_event
                      WHERE message_event.msg_id = message.msg_id
                      ORDER BY event_id DESC
                      LIMIT 1) AS last
 WHERE message.msg_id = ANY (%(msg_ids)s)
   AND message.state <> last.to_state
