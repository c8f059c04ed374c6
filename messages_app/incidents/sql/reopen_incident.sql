-- Reopens an incident that is closed and not merged.
UPDATE incident
   SET state = 'open', closed_at = NULL, closed_by = '', is_held_open = %(is_held_open)s
 WHERE incident_id = %(incident_id)s
   AND state = 'closed'
   AND merged_into IS NULL
