-- One row per minute of an incident with failures since a time: the minute and their number.
SELECT minute, sum(failures)::bigint
  FROM incident_cell
  JOIN failure_cell_minute USING (cell_id)
 WHERE incident_cell.incident_id = %(incident_id)s
   AND minute >= kept_minute(incident_cell.first)
   AND minute <= incident_cell.last
   AND minute >= %(since)s
 GROUP BY 1
 ORDER BY 1
