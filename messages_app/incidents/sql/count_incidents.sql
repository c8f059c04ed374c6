-- Stores the counts, times, services and error codes of incidents that have changed. Counts of old minutes are those of
-- their hour or day (kept_minute). Above `most` counted rows, failures are an upper bound of the rows.
WITH counted AS (
  SELECT incident_cell.incident_id, sum(failure_cell_minute.failures) AS failures,
         min(greatest(minute, incident_cell.first)) AS began_at, max(least(minute, incident_cell.last)) AS last_failure_at
    FROM incident_cell
    JOIN failure_cell_minute USING (cell_id)
   WHERE incident_cell.incident_id = ANY (%(incidents)s)
     AND minute >= kept_minute(incident_cell.first)
     AND minute <= incident_cell.last
   GROUP BY 1
), described AS (
  SELECT incident_cell.incident_id,
         array_agg(DISTINCT service_name ORDER BY service_name) AS services,
         coalesce(array_agg(DISTINCT error_code ORDER BY error_code) FILTER (WHERE error_code <> ''), '{}')
           AS error_codes
    FROM incident_cell
    JOIN failure_cell USING (cell_id)
   WHERE incident_cell.incident_id = ANY (%(incidents)s)
   GROUP BY 1
)
UPDATE incident
   SET failures = greatest(counted.failures, asked.affected),
       began_at = coalesce(counted.began_at, incident.began_at),
       last_failure_at = greatest(counted.last_failure_at, incident.last_failure_at),
       services = coalesce(described.services, incident.services),
       error_codes = coalesce(described.error_codes, incident.error_codes),
       affected = CASE WHEN asked.affected < %(most)s THEN asked.affected
                       ELSE greatest(asked.affected, counted.failures) END
  FROM unnest(%(incidents)s::bigint[], %(affected)s::bigint[]) AS asked (incident_id, affected)
  LEFT JOIN counted USING (incident_id)
  LEFT JOIN described USING (incident_id)
 WHERE incident.incident_id = asked.incident_id
   AND (incident.failures, incident.affected, incident.last_failure_at, incident.began_at, incident.services,
        incident.error_codes)
       IS DISTINCT FROM (greatest(counted.failures, asked.affected), asked.affected, counted.last_failure_at, counted.began_at,
                         described.services, described.error_codes)
