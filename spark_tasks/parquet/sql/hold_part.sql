-- One row per message of the given ids that is in the part, locked, with the job that has it. The lock
-- prevents a restore from files that are about to be removed.
SELECT msg_id, job_holding(msg_id)
  FROM cold_message
 WHERE msg_id = ANY (%(ids)s)
   AND part_id = %(part_id)s
 ORDER BY msg_id
   FOR UPDATE
