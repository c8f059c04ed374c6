-- One row per group and incident with its failures, newest incident first.
SELECT DISTINCT failure_cell.group_id, incident_cell.incident_id
  FROM failure_cell
  JOIN incident_cell USING (cell_id)
 WHERE failure_cell.group_id = ANY (%(groups)s)
 ORDER BY 2 DESC
