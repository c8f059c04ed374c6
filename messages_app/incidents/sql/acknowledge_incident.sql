-- Acknowledges an incident, unless someone has.
UPDATE incident
   SET acknowledged_at = clock_timestamp(), acknowledged_by = %(by)s
 WHERE incident_id = %(incident_id)s
   AND acknowledged_at IS NULL
   AND merged_into IS NULL
