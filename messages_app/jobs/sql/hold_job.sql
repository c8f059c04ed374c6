-- One row if the attempt has the job, in one of these states. Waits for chunks that are being committed,
-- because they lock the row (fence.sql), and blocks new chunks and other attempts until this transaction
-- ends.
SELECT 1
  FROM job
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = ANY (%(states)s)
   FOR UPDATE
