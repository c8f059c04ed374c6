-- One row if the job's file is no longer offered from now on; none if it was not before.
UPDATE job
   SET report = report || jsonb_build_object('removed_at', now())
 WHERE job_id = %(job_id)s
   AND NOT report ? 'removed_at'
RETURNING job_id
