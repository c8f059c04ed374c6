-- Stores that the rule never merges two incidents.
INSERT INTO incident_decision (decision, incident_id, other_id, decided_by, reason)
VALUES ('apart', %(incident_id)s, %(other_id)s, %(by)s, %(reason)s)
ON CONFLICT (incident_id, other_id) WHERE other_id IS NOT NULL DO NOTHING
