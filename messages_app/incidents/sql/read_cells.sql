-- One row per cell: its id, and what its failures have in common.
SELECT cell_id, service_name, operation_name, source_system, external_system, error_code, cause
  FROM failure_cell
 WHERE cell_id = ANY (%(cells)s)
 ORDER BY cell_id
