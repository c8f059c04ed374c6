-- One row, the state the message had, if it was in an allowed state, and no active job has it,
-- at the moment of the write; else none.
-- The hub takes the message up some time after last_process_timestamp, so that is set, as the hub sets it.
UPDATE message
   SET state = %(to_state)s, last_process_timestamp = clock_timestamp()
  FROM (SELECT msg_id, state
          FROM message
         WHERE msg_id = %(msg_id)s
           AND state = ANY (%(allowed)s)
           AND job_holding(msg_id) IS NULL
           FOR NO KEY UPDATE) AS seen
 WHERE message.msg_id = seen.msg_id
RETURNING seen.state
