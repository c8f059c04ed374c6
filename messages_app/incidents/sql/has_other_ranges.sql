-- One row: whether an incident has failures of other groups, or messages that a person put there.
SELECT EXISTS (SELECT
                 FROM incident_cell
                 JOIN failure_cell USING (cell_id)
                WHERE incident_cell.incident_id = %(incident_id)s
                  AND (failure_cell.group_id IS NULL OR failure_cell.group_id <> ALL (%(groups)s)))
    OR EXISTS (SELECT FROM incident_message WHERE incident_message.incident_id = %(incident_id)s)
