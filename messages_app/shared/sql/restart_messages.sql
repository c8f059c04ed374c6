-- One row per restarted message, with the version of its row: messages that have not changed after the job's
-- set was frozen, in an allowed state. Sets the same columns as restart_message.sql, and the reason.
UPDATE message
   SET state = %(to_state)s, {stamp}
  FROM unnest(%(ids)s::bigint[], %(states)s::text[]) AS asked (msg_id, state)
 WHERE message.msg_id = asked.msg_id
   AND message.state = asked.state
   AND asked.state = ANY (%(allowed)s)
RETURNING message.msg_id, message.xmin::text
