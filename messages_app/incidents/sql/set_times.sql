-- Sets the times of the first and the last failure of an incident.
UPDATE incident
   SET began_at = %(first)s, last_failure_at = %(last)s
 WHERE incident_id = %(incident_id)s
