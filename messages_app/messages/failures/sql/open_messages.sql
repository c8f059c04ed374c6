-- One row per incident with open messages, and one without an incident for the others, of up to `fence` open messages of
-- the hub: the incident, its messages that are FAILED, and all of them. Of a polled hub, the copies of the last poll are
-- read. Messages are looked up one by one, because the planner may read whole tables for a join.
WITH open AS MATERIALIZED (
 (SELECT msg_id, state
    FROM message
   WHERE state = ANY (%(open)s)
     AND NOT %(is_polled)s
   LIMIT %(fence)s)
  UNION ALL
 (SELECT msg_id, state
    FROM polled_message
   WHERE state <> ALL (%(bygone)s)
     AND %(is_polled)s
   LIMIT %(fence)s)
)
SELECT coalesce(decided.incident_id, gathered.incident_id) AS incident_id,
       count(*) FILTER (WHERE open.state = 'FAILED'), count(*)
  FROM open
  LEFT JOIN LATERAL (SELECT incident_message.incident_id
                       FROM incident_message
                      WHERE incident_message.msg_id = open.msg_id
                      LIMIT 1) AS decided ON true
  LEFT JOIN LATERAL (SELECT failure_member.cell_id, failure_member.at
                       FROM failure_member
                      WHERE failure_member.msg_id = open.msg_id
                      LIMIT 1) AS member ON true
  LEFT JOIN LATERAL (SELECT incident_cell.incident_id
                       FROM incident_cell
                      WHERE incident_cell.cell_id = member.cell_id
                        AND incident_cell.first <= member.at
                        AND incident_cell.last + interval '1 minute' > member.at
                      LIMIT 1) AS gathered ON true
 GROUP BY 1
