-- One row if the attempt is still planning the job; none if another attempt has it, or it was stopped.
UPDATE job
   SET step = %(step)s
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = %(planning)s
RETURNING job_id
