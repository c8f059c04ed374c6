-- Merges an incident into another one, unless it is merged. The other one gets its notes, and its
-- owner and acknowledgement if it has none.
WITH absorbed AS (
  UPDATE incident
     SET state = 'closed', closed_at = coalesce(closed_at, clock_timestamp()), closed_by = %(by)s,
         merged_into = %(survivor)s, is_held_open = false,
         is_merged_by_person = %(is_by_person)s
   WHERE incident_id = %(incident_id)s
     AND merged_into IS NULL
  RETURNING owner, acknowledged_at, acknowledged_by
), later AS (
  UPDATE incident
     SET merged_into = %(survivor)s
   WHERE merged_into = %(incident_id)s
     AND EXISTS (SELECT FROM absorbed)
), moved AS (
  UPDATE note
     SET subject = %(survivor)s
   WHERE kind = 'incident' AND subject = %(incident_id)s
     AND EXISTS (SELECT FROM absorbed)
)
UPDATE incident
   SET owner = CASE WHEN incident.owner = '' THEN absorbed.owner ELSE incident.owner END,
       acknowledged_at = coalesce(incident.acknowledged_at, absorbed.acknowledged_at),
       acknowledged_by = CASE WHEN incident.acknowledged_at IS NULL THEN absorbed.acknowledged_by
                              ELSE incident.acknowledged_by END
  FROM absorbed
 WHERE incident_id = %(survivor)s
