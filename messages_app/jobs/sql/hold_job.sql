-- One row while the job is the attempt's and in one of these states. Waits for chunks that are being committed, for
-- they hold the row (fence.sql), and keeps new ones and another attempt out until this transaction ends.
SELECT 1
  FROM job
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = ANY (%(states)s)
   FOR UPDATE
