-- Puts messages into an incident, whatever their cells.
INSERT INTO incident_message (msg_id, incident_id, decided_by)
SELECT msg_id, %(new_id)s, %(by)s
  FROM unnest(%(messages)s::bigint[]) AS message (msg_id)
ON CONFLICT (msg_id) DO UPDATE
   SET incident_id = excluded.incident_id, decided_by = excluded.decided_by, decided_at = clock_timestamp()
