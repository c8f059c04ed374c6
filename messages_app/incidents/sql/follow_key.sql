-- Stores what the failures of an incident have in common now, if that has changed.
UPDATE incident
   SET external_system = %(system)s, key_service = %(service)s, key_sender = %(sender)s, key_text = %(text)s,
       title = %(title)s
 WHERE incident_id = %(incident_id)s
   AND (external_system, key_service, key_sender, key_text) <> (%(system)s, %(service)s, %(sender)s, %(text)s)
