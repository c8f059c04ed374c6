-- One row: the first and the last id of all messages, and of all changes of state.
SELECT least((SELECT min(msg_id) FROM message),
             (SELECT min(msg_id) FROM archive_message),
             (SELECT min(msg_id) FROM cold_message)),
       greatest((SELECT max(msg_id) FROM message),
                (SELECT max(msg_id) FROM archive_message),
                (SELECT max(msg_id) FROM cold_message)),
       (SELECT min(event_id) FROM message_event),
       (SELECT max(event_id) FROM message_event)
