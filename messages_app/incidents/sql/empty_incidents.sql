-- One row per open incident of these without failures: its id.
SELECT incident_id
  FROM incident
 WHERE incident_id = ANY (%(incidents)s)
   AND state = 'open'
   AND NOT EXISTS (SELECT FROM incident_cell WHERE incident_cell.incident_id = incident.incident_id)
   AND NOT EXISTS (SELECT FROM incident_message WHERE incident_message.incident_id = incident.incident_id)
