-- One row per message with a failure: its incident, and the time and the cell of its newest failure. A message that a
-- person put into an incident is there; others are in that of their cell at that time, or in none.
SELECT asked.msg_id, coalesce(decided.incident_id, gathered.incident_id), member.at, member.cell_id
  FROM unnest(%(messages)s::bigint[]) AS asked (msg_id)
 CROSS JOIN LATERAL (SELECT failure_member.cell_id, failure_member.at
                       FROM failure_member
                      WHERE failure_member.msg_id = asked.msg_id
                      LIMIT 1) AS member
  LEFT JOIN LATERAL (SELECT incident_message.incident_id
                       FROM incident_message
                      WHERE incident_message.msg_id = asked.msg_id
                      LIMIT 1) AS decided ON true
  LEFT JOIN LATERAL (SELECT incident_cell.incident_id
                       FROM incident_cell
                      WHERE incident_cell.cell_id = member.cell_id
                        AND incident_cell.first <= member.at
                        AND incident_cell.last + interval '1 minute' > member.at
                      LIMIT 1) AS gathered ON true
