-- One row for each group and state of its newest messages, with their number; the state is NULL for messages that were
-- archived or removed. Messages are read one by one, because the planner may read whole tables for a join.
SELECT requested.group_id, live.state, count(*)
  FROM unnest(%(groups)s::bigint[]) AS requested (group_id)
 CROSS JOIN LATERAL (SELECT failure_member.msg_id
                       FROM failure_member
                      WHERE failure_member.group_id = requested.group_id
                      ORDER BY failure_member.msg_id DESC
                      LIMIT %(fence)s) AS newest
  LEFT JOIN LATERAL (SELECT message.state
                       FROM message
                      WHERE message.msg_id = newest.msg_id
                      LIMIT 1) AS live ON true
 GROUP BY requested.group_id, live.state
