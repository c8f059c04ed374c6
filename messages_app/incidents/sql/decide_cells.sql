-- Stores that these cells belong to an incident.
INSERT INTO incident_decision (decision, incident_id, cell_id, decided_by, reason)
SELECT 'belongs', %(new_id)s, cell_id, %(by)s, ''
  FROM unnest(%(cells)s::bigint[]) AS cell (cell_id)
ON CONFLICT (incident_id, cell_id) WHERE cell_id IS NOT NULL DO UPDATE SET decision = 'belongs'
