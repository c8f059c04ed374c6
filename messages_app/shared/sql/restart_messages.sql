-- One row per message restarted, with its row's version: those that are still as they were when the job's set
-- was frozen, in an allowed state. Sets what restart_message.sql sets, and says why.
UPDATE message
   SET state = %(to_state)s, last_process_timestamp = clock_timestamp()
  FROM unnest(%(ids)s::bigint[], %(states)s::text[]) AS asked (msg_id, state)
 WHERE message.msg_id = asked.msg_id
   AND message.state = asked.state
   AND asked.state = ANY (%(allowed)s)
RETURNING message.msg_id, message.xmin::text
