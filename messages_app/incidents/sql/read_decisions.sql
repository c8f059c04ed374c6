-- One row per decision about these incidents, later ones last: its kind, incident, cell, and other incident.
SELECT decision, incident_id, cell_id, other_id
  FROM incident_decision
 WHERE incident_id = ANY (%(incidents)s)
 ORDER BY decision_id
