-- Closes these incidents if they are open and quiet still. One row each: its id.
UPDATE incident
   SET state = 'closed', closed_at = clock_timestamp(), closed_by = 'system'
 WHERE incident_id = ANY (%(incidents)s)
   AND state = 'open'
   AND NOT is_held_open
   AND last_failure_at <= clock_timestamp() - make_interval(mins => %(minutes)s)
RETURNING incident_id
