-- Sets the owner of an incident, if that is another one.
UPDATE incident
   SET owner = %(owner)s
 WHERE incident_id = %(incident_id)s
   AND owner <> %(owner)s
   AND merged_into IS NULL
