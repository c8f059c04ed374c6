-- Closes an incident that is open and not merged.
UPDATE incident
   SET state = 'closed', closed_at = clock_timestamp(), closed_by = %(by)s, is_held_open = false
 WHERE incident_id = %(incident_id)s
   AND state = 'open'
   AND merged_into IS NULL
