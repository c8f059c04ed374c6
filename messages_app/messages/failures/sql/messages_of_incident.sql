-- The newest messages of an incident, newest first. Of each cell only as many are read as are asked for.
SELECT msg_id
  FROM (SELECT own.msg_id
          FROM (SELECT DISTINCT cell_id FROM incident_cell WHERE incident_id = %(incident_id)s) AS cell
         CROSS JOIN LATERAL (SELECT failure_member.msg_id
                               FROM failure_member
                              WHERE failure_member.cell_id = cell.cell_id
                                AND EXISTS (SELECT
                                              FROM incident_cell
                                             WHERE incident_cell.incident_id = %(incident_id)s
                                               AND incident_cell.cell_id = cell.cell_id
                                               AND incident_cell.first <= failure_member.at
                                               AND incident_cell.last + interval '1 minute' > failure_member.at)
                                AND NOT EXISTS (SELECT
                                                  FROM incident_message
                                                 WHERE incident_message.msg_id = failure_member.msg_id)
                              ORDER BY failure_member.msg_id DESC
                              LIMIT %(most)s) AS own
         UNION ALL
        (SELECT incident_message.msg_id
           FROM incident_message
          WHERE incident_message.incident_id = %(incident_id)s
          ORDER BY incident_message.msg_id DESC
          LIMIT %(most)s)) AS newest
 ORDER BY msg_id DESC
 LIMIT %(most)s
