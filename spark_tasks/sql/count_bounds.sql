-- One row: an id after the first thousand of all messages and one before the last thousand, and the same of all changes
-- of state. In between, the ids of a hub are dense; a single one can be at the end of the type. If there are not as
-- many, both are the first id; NULL without any.
WITH outer_ids AS (
  SELECT least((SELECT msg_id FROM message ORDER BY msg_id LIMIT 1 OFFSET 1000),
               (SELECT msg_id FROM archive_message ORDER BY msg_id LIMIT 1 OFFSET 1000),
               (SELECT msg_id FROM cold_message ORDER BY msg_id LIMIT 1 OFFSET 1000)) AS first_msg_id,
         greatest((SELECT msg_id FROM message ORDER BY msg_id DESC LIMIT 1 OFFSET 1000),
                  (SELECT msg_id FROM archive_message ORDER BY msg_id DESC LIMIT 1 OFFSET 1000),
                  (SELECT msg_id FROM cold_message ORDER BY msg_id DESC LIMIT 1 OFFSET 1000)) AS last_msg_id,
         (SELECT event_id FROM message_event ORDER BY event_id LIMIT 1 OFFSET 1000) AS first_event_id,
         (SELECT event_id FROM message_event ORDER BY event_id DESC LIMIT 1 OFFSET 1000) AS last_event_id,
         least((SELECT min(msg_id) FROM message),
               (SELECT min(msg_id) FROM archive_message),
               (SELECT min(msg_id) FROM cold_message)) AS lowest_msg_id,
         (SELECT min(event_id) FROM message_event) AS lowest_event_id
)
SELECT coalesce(first_msg_id, lowest_msg_id),
       coalesce(last_msg_id, lowest_msg_id),
       coalesce(first_event_id, lowest_event_id),
       coalesce(last_event_id, lowest_event_id)
  FROM outer_ids
