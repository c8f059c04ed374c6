-- One row per incident: the number of its messages, at most `most` of its cells. A person may have put a message into
-- another incident than that of its cell.
SELECT asked.incident_id,
       (SELECT count(*)
          FROM (SELECT
                  FROM incident_cell
                  JOIN failure_member USING (cell_id)
                 WHERE incident_cell.incident_id = asked.incident_id
                   AND failure_member.at >= incident_cell.first
                   AND failure_member.at < incident_cell.last + interval '1 minute'
                   AND NOT EXISTS (SELECT FROM incident_message WHERE incident_message.msg_id = failure_member.msg_id)
                 LIMIT %(most)s) AS counted)
       + (SELECT count(*)
            FROM incident_message
           WHERE incident_message.incident_id = asked.incident_id)
  FROM unnest(%(incidents)s::bigint[]) AS asked (incident_id)
