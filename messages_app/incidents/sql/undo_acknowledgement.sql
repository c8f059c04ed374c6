-- Withdraws an acknowledgement, if it is still the same one.
UPDATE incident
   SET acknowledged_at = NULL, acknowledged_by = ''
 WHERE incident_id = %(incident_id)s
   AND acknowledged_at = %(moment)s
   AND acknowledged_by = %(by)s
   AND merged_into IS NULL
