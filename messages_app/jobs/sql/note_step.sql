-- One row if the attempt still plans the job; none if another has it, or it was stopped.
UPDATE job
   SET step = %(step)s
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = %(planning)s
RETURNING job_id
