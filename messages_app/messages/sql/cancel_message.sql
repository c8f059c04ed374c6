-- One row, the state the message had, if it was in an allowed state, and no active job has it,
-- at the moment of the write; else none.
UPDATE message
   SET state = %(to_state)s
  FROM (SELECT msg_id, state
          FROM message
         WHERE msg_id = %(msg_id)s
           AND state = ANY (%(allowed)s)
           AND job_holding(msg_id) IS NULL
           FOR NO KEY UPDATE) AS seen
 WHERE message.msg_id = seen.msg_id
RETURNING seen.state
