-- One row per range of an incident with failures of these groups: the group and the cell.
SELECT failure_cell.group_id, cell_id
  FROM incident_cell
  JOIN failure_cell USING (cell_id)
 WHERE incident_cell.incident_id = %(incident_id)s
   AND failure_cell.group_id = ANY (%(groups)s)
