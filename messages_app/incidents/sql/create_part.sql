-- One row: the id of a new incident for a part of another one. Its key is its own, so the rule adds nothing to it by key.
INSERT INTO incident (title, state, began_at, last_failure_at, external_system, key_service, key_sender, key_text,
                      closed_by, is_held_open, services, error_codes, failures, affected, owner, acknowledged_by,
                      is_merged_by_person)
SELECT %(title)s, 'open', began_at, last_failure_at, external_system, '', '', 'part of ' || incident_id || ' ' ||
       clock_timestamp(), '', false, services, error_codes, 0, 0, owner, '', false
  FROM incident
 WHERE incident_id = %(incident_id)s
RETURNING incident_id
