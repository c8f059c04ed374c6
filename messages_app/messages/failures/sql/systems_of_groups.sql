-- One row for each group and external system of its failures. Read group by group, by the index.
SELECT requested.group_id, cell.external_system
  FROM unnest(%(groups)s::bigint[]) AS requested (group_id)
 CROSS JOIN LATERAL (SELECT DISTINCT failure_cell.external_system
                       FROM failure_cell
                      WHERE failure_cell.group_id = requested.group_id
                        AND failure_cell.external_system <> '') AS cell
 ORDER BY 1, 2
