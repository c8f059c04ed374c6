-- Error texts of an incident that no message had before a time, the first one first.
SELECT failure_cell.cause, failure_cell.service_name, failure_cell.group_id, min(failure_cell.first_seen) AS at
  FROM incident_cell
  JOIN failure_cell USING (cell_id)
 WHERE incident_cell.incident_id = %(incident_id)s
   AND failure_cell.first_seen >= %(since)s
   AND failure_cell.cause <> ''
   AND NOT EXISTS (SELECT
                     FROM failure_cell AS older
                    WHERE older.group_id = failure_cell.group_id
                      AND older.first_seen < %(since)s)
 GROUP BY failure_cell.cause, failure_cell.service_name, failure_cell.group_id
 ORDER BY at
 LIMIT %(most)s
