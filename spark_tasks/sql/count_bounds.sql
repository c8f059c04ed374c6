-- One row: the first and the last message anywhere, and the first and the last change of a state.
SELECT least((SELECT min(msg_id) FROM message),
             (SELECT min(msg_id) FROM archive_message),
             (SELECT min(msg_id) FROM cold_message)),
       greatest((SELECT max(msg_id) FROM message),
                (SELECT max(msg_id) FROM archive_message),
                (SELECT max(msg_id) FROM cold_message)),
       (SELECT min(event_id) FROM message_event),
       (SELECT max(event_id) FROM message_event)
