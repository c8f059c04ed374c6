-- One row per message of the given ids that lies in the part, held, and the job that has it: none is restored from
-- files that are about to go.
SELECT msg_id, job_holding(msg_id)
  FROM cold_message
 WHERE msg_id = ANY (%(ids)s)
   AND part_id = %(part_id)s
 ORDER BY msg_id
   FOR UPDATE
