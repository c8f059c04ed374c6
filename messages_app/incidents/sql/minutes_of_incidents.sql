-- One row per incident and minute with failures since a time: the incident, the minute and the number of failures.
SELECT incident_cell.incident_id, minute, sum(failures)::bigint
  FROM incident_cell
  JOIN failure_cell_minute USING (cell_id)
 WHERE incident_cell.incident_id = ANY (%(incidents)s)
   AND minute >= kept_minute(incident_cell.first)
   AND minute <= incident_cell.last
   AND minute >= %(since)s
 GROUP BY 1, 2
 ORDER BY 1, 2
