-- One row per open incident without a failure for at least `minutes` minutes, unless a person holds it open: its id.
SELECT incident_id
  FROM incident
 WHERE state = 'open'
   AND NOT is_held_open
   AND last_failure_at <= clock_timestamp() - make_interval(mins => %(minutes)s)
