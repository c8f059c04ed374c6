-- Gives the messages that people put into an incident to another one.
UPDATE incident_message
   SET incident_id = %(survivor)s
 WHERE incident_id = %(incident_id)s
