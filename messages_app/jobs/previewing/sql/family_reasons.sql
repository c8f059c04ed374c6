-- One row per message of the given ids that its parent or a child keeps from the archive, with whether all of
-- these are final (the others are then too young). Looked up one by one, a few children each: a join would be
-- free to read a whole table.
SELECT id, bool_and(relative.state = ANY (%(final_states)s))
  FROM unnest(%(ids)s::bigint[]) AS chosen (id)
 CROSS JOIN LATERAL ((SELECT state, last_process_timestamp, receive_timestamp
                        FROM message
                       WHERE parent_msg_id = chosen.id
                       LIMIT %(most)s)
                     UNION ALL
                     SELECT state, last_process_timestamp, receive_timestamp
                       FROM message
                      WHERE msg_id = (SELECT parent_msg_id FROM message WHERE msg_id = chosen.id)) AS relative
 WHERE relative.state <> ALL (%(final_states)s)
    OR coalesce(relative.last_process_timestamp, relative.receive_timestamp) >= %(cutoff)s::timestamptz
 GROUP BY id
