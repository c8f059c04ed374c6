-- One row: the id of the last checked message, NULL without messages, and the ids whose last entry has another state.
SELECT max(slice.msg_id), array_agg(slice.msg_id) FILTER (WHERE slice.state <> last.to_state)
  FROM (SELECT msg_id, state
          FROM message
         WHERE msg_id >= %(first)s
         ORDER BY msg_id
         LIMIT %(most)s) AS slice
  LEFT JOIN LATERAL (SELECT to_state
                       FROM message_event
                      WHERE message_event.msg_id = slice.msg_id
                      ORDER BY event_id DESC
                      LIMIT 1) AS last ON true
