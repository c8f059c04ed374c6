-- One row per incident that the rule can change: open ones, recent ones that ended within a day, and incidents that
-- people merged into them. Times are minutes since 1970.
WITH present AS (
  SELECT incident_id
    FROM incident
   WHERE state = 'open'
   UNION
  SELECT incident_id
    FROM incident
   WHERE closed_at >= now() - interval '25 hours'
     AND merged_into IS NULL
)
SELECT incident.incident_id, incident.state, external_system, key_service, key_sender, key_text,
       floor(extract(epoch FROM closed_at) / 60)::bigint, merged_into
  FROM incident
 WHERE incident_id IN (SELECT incident_id FROM present)
 UNION ALL
SELECT merged.incident_id, merged.state, merged.external_system, merged.key_service, merged.key_sender, merged.key_text,
       floor(extract(epoch FROM survivor.closed_at) / 60)::bigint, merged.merged_into
  FROM present
  JOIN incident AS survivor USING (incident_id)
  JOIN incident AS merged ON merged.merged_into = survivor.incident_id
 WHERE merged.is_merged_by_person
 ORDER BY 1
