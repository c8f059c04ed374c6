-- Closes an incident again as it was closed before a person reopened it, if it is still open without a newer failure.
UPDATE incident
   SET state = 'closed', closed_at = %(closed_at)s, closed_by = %(closed_by)s, is_held_open = false
 WHERE incident_id = %(incident_id)s
   AND state = 'open'
   AND is_held_open
   AND failures = %(failures)s
   AND merged_into IS NULL
