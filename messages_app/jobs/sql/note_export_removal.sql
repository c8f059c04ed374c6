-- One row if the file of the job was still offered; from now on it is not.
UPDATE job
   SET report = report || jsonb_build_object('removed_at', now())
 WHERE job_id = %(job_id)s
   AND NOT report ? 'removed_at'
RETURNING job_id
