-- One row with the previous state of the message, if its state is allowed and no active job has it at the time of the
-- write; else no row.
-- The hub retries a message some time after last_process_timestamp, so this is set too, as in the hub (the
-- stamp: messages_app/shared/sql_files.py).
UPDATE message
   SET state = %(to_state)s, {stamp}
  FROM (SELECT msg_id, state
          FROM message
         WHERE msg_id = %(msg_id)s
           AND state = ANY (%(allowed)s)
           AND job_holding(msg_id) IS NULL
           FOR NO KEY UPDATE) AS seen
 WHERE message.msg_id = seen.msg_id
RETURNING seen.state
