-- Sets the actor of state changes, for the trigger that writes the state history, until the transaction ends.
SELECT set_config('hubconsole.actor', created_by, true)
  FROM job
 WHERE job_id = %(job_id)s
