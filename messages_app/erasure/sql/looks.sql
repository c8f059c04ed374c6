-- One row per message of the given ids in one of the places: its state, its parent, and the job that includes
-- it.
SELECT place, msg_id, state, parent_msg_id, job_holding(msg_id)
  FROM ((SELECT 'message' AS place, msg_id, state, parent_msg_id FROM message WHERE msg_id = ANY (%(ids)s))
        UNION ALL
        (SELECT 'archive_message', msg_id, state, parent_msg_id FROM archive_message WHERE msg_id = ANY (%(ids)s))
        UNION ALL
        (SELECT 'cold_message', msg_id, state, parent_msg_id FROM cold_message WHERE msg_id = ANY (%(ids)s))) AS seen
