-- Reopens an incident, if it is still closed by the same decision.
UPDATE incident
   SET state = 'open', closed_at = NULL, closed_by = '', is_held_open = true
 WHERE incident_id = %(incident_id)s
   AND state = 'closed'
   AND closed_at = %(moment)s
   AND closed_by = %(by)s
   AND merged_into IS NULL
