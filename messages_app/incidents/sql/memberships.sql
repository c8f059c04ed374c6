-- One row per range of an incident with the values of its cell and its failures, most failures first.
SELECT store, service_name, operation_name, source_system, external_system, error_code, cause, group_id,
       incident_cell.first, incident_cell.last, reason, strength, pinned_by,
       coalesce((SELECT sum(failures)
                   FROM failure_cell_minute
                  WHERE failure_cell_minute.cell_id = incident_cell.cell_id
                    AND minute >= kept_minute(incident_cell.first)
                    AND minute <= incident_cell.last), 0)::bigint AS failures
  FROM incident_cell
  JOIN failure_cell USING (cell_id)
 WHERE incident_cell.incident_id = %(incident_id)s
 ORDER BY failures DESC, cell_id, incident_cell.first
 LIMIT %(most)s
