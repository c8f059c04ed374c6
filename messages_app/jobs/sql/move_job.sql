-- One row if the job changed to `to_state`; none if the attempt no longer has it, or it is in another state.
-- A job that is paused or has ended releases its lease.
UPDATE job
   SET state = %(to_state)s,
       report = report || %(report)s,
       error = %(error)s,
       chunk_count = coalesce(%(chunk_count)s, chunk_count),
       lease_until = CASE WHEN %(at_rest)s THEN NULL ELSE lease_until END,
       finished_at = CASE WHEN %(at_rest)s THEN clock_timestamp() ELSE finished_at END
 WHERE job_id = %(job_id)s
   AND attempt = %(attempt)s
   AND state = ANY (%(from_states)s)
RETURNING job_id
