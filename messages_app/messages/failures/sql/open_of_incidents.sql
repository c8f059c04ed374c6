-- One row per incident, with counts of up to `fence` of its messages: FAILED ones, ones that are neither processed nor
-- cancelled, and all.
SELECT asked.incident_id, count(*) FILTER (WHERE live.state = 'FAILED'),
       count(*) FILTER (WHERE live.state <> 'OK' AND live.state <> 'CANCEL'), count(own.msg_id)
  FROM unnest(%(incidents)s::bigint[]) AS asked (incident_id)
  LEFT JOIN LATERAL (SELECT msg_id
                       FROM (SELECT failure_member.msg_id
                               FROM incident_cell
                               JOIN failure_member USING (cell_id)
                              WHERE incident_cell.incident_id = asked.incident_id
                                AND failure_member.at >= incident_cell.first
                                AND failure_member.at < incident_cell.last + interval '1 minute'
                                AND NOT EXISTS (SELECT
                                                  FROM incident_message
                                                 WHERE incident_message.msg_id = failure_member.msg_id)
                              UNION ALL
                             SELECT incident_message.msg_id
                               FROM incident_message
                              WHERE incident_message.incident_id = asked.incident_id) AS one
                      LIMIT %(fence)s) AS own ON true
  LEFT JOIN LATERAL (SELECT message.state
                       FROM message
                      WHERE message.msg_id = own.msg_id
                      LIMIT 1) AS live ON true
 GROUP BY asked.incident_id
