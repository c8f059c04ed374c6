-- Replaces the note of an incident, if it is another one.
UPDATE incident
   SET note = %(text)s
 WHERE incident_id = %(incident_id)s
   AND note <> %(text)s
   AND merged_into IS NULL
