-- One row per cell that a person put into one of these incidents: the incident, the cell and the person.
SELECT incident_id, cell_id, decided_by
  FROM incident_decision
 WHERE incident_id = ANY (%(incidents)s)
   AND decision = 'belongs'
